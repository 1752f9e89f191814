import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const tableSchema = z.record(z.string().regex(/^T\d{4}(\.\d{3})?$/), z.array(z.string().regex(/^TA\d{4}$/)).min(1));

let table: Readonly<Record<string, readonly string[]>> | undefined;

const readTable = () => tableSchema.parse(load(readFileSync(new URL('./attack/tactics.yaml', import.meta.url), 'utf8')));

/** A tactic of MITRE ATT&CK for Enterprise. */
export interface Tactic {
  readonly tactic_id: string;
  readonly name: string;
  /** As layers of ATT&CK Navigator name it: `initial-access`. */
  readonly short: string;
}

const namesSchema = z.strictObject({
  tactics: z.record(z.string().regex(/^TA\d{4}$/), z.strictObject({ name: z.string(), short: z.string().regex(/^[a-z-]+$/) })),
  techniques: z.record(z.string().regex(/^T\d{4}(\.\d{3})?$/), z.string().min(1)),
});
let names: z.infer<typeof namesSchema> | undefined;

function readNames(): z.infer<typeof namesSchema> {
  names ??= namesSchema.parse(load(readFileSync(new URL('./attack/names.yaml', import.meta.url), 'utf8')));
  return names;
}

/** All tactics, in the order of the matrix. */
export const attackTactics = (): Tactic[] => Object.entries(readNames().tactics).map(([tactic_id, tactic]) => ({ tactic_id, ...tactic }));

/** What a technique or sub-technique is called; of a sub-technique that is not named the technique's name, and null for what is not known. */
export function nameOfTechnique(technique: string): string | null {
  const { techniques } = readNames();
  return techniques[technique] ?? techniques[technique.split('.', 1)[0]!] ?? null;
}

/** The techniques of the table, by id; sub-techniques stand there only where their tactics differ. */
export function attackTechniques(): string[] {
  table ??= readTable();
  return Object.keys(table);
}

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
