import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { SEVERITIES } from '../schema/model.js';

const sentence = z.string().min(1);
const rulesSchema = z.array(
  z.strictObject({
    rule_id: z.string().regex(/^palisade-[a-z0-9-]+$/),
    /** The engine that holds its findings. */
    engine: z.string(),
    title: sentence,
    severity: z.enum(SEVERITIES),
    description: sentence,
    steps: z.array(sentence).min(1),
    references: z.array(z.url()).min(1),
  }),
);

/** What an engine looks for in its own views of the estate, and not in one resource's configuration. */
export type DerivedRule = z.infer<typeof rulesSchema>[number];

/** The rules of a file of `catalog/derived/`, by id. @throws where the file is not of the form */
export function derivedRules(file: string): ReadonlyMap<string, DerivedRule> {
  const rules = rulesSchema.parse(load(readFileSync(new URL(`./derived/${file}.yaml`, import.meta.url), 'utf8')));
  return new Map(rules.map((rule) => [rule.rule_id, rule]));
}
