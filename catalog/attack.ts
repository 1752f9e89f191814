import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const tableSchema = z.record(z.string().regex(/^T\d{4}(\.\d{3})?$/), z.array(z.string().regex(/^TA\d{4}$/)).min(1));

let table: Readonly<Record<string, readonly string[]>> | undefined;

const readTable = () => tableSchema.parse(load(readFileSync(new URL('./attack/tactics.yaml', import.meta.url), 'utf8')));

/** The tactics of one technique or sub-technique of MITRE ATT&CK for Enterprise, as ids in the order of the matrix; undefined for one that the table lacks. */
export function tacticsOfTechnique(technique: string): readonly string[] | undefined {
  table ??= readTable();
  return table[technique] ?? table[technique.split('.', 1)[0]!];
}

/**
 * The tactics of techniques, each once (decision 43).
 * @param reported tactics that a report names itself: they stand where no technique gives any
 */
export function tacticsOf(techniques: readonly string[], reported: readonly string[] = []): string[] {
  const found = new Set(techniques.flatMap((technique) => tacticsOfTechnique(technique) ?? []));
  return found.size > 0 ? [...found] : [...reported];
}
