import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { UsageError } from '../command-line.js';
import type { CheckResult } from './report.js';

/** What a baseline knows a finding by. */
export type Known = Pick<CheckResult, 'rule_id' | 'file' | 'address'>;

const schema = z.object({
  version: z.literal(1),
  findings: z.array(z.object({ rule_id: z.string(), file: z.string(), address: z.string() })),
});

const keyOf = ({ rule_id, file, address }: Known): string => JSON.stringify([rule_id, file.replaceAll('\\', '/'), address]);

/** Findings that are known and accepted for now: by rule, file and resource. */
export class Baseline {
  private readonly known: Set<string>;

  private constructor(keys: readonly string[]) {
    this.known = new Set(keys);
  }

  /** @throws UsageError where there is none, or it is no baseline */
  static read(path: string): Baseline {
    let value: unknown;
    try {
      value = JSON.parse(readFileSync(path, 'utf8'));
    } catch (error) {
      throw new UsageError(`--baseline ${path} cannot be read: ${(error as Error).message}; --write-baseline makes it`);
    }
    const { data } = schema.safeParse(value);
    if (data === undefined) throw new UsageError(`--baseline ${path} is no baseline of this command`);
    return new Baseline(data.findings.map(keyOf));
  }

  has(result: Known): boolean {
    return this.known.has(keyOf(result));
  }

  /** Writes what fails now, in an order that later writes keep. */
  static write(path: string, results: readonly Known[]): void {
    const findings = results
      .map(({ rule_id, file, address }) => ({ rule_id, file: file.replaceAll('\\', '/'), address }))
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    writeFileSync(path, `${JSON.stringify({ version: 1, findings }, null, 2)}\n`);
  }
}
