import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { DATA_CLASSES } from '../../catalog/data-classes.js';
import { ENVIRONMENTS, EXPOSURE_LEVELS, SEVERITIES } from '../../schema/model.js';
import { KINDS, NEIGHBOURS, type NeighbourName } from './estate.js';

const sentence = z.string().regex(/^[A-Z].*\.$/s, 'is a whole sentence');
const kind = z.enum(KINDS);
const value = z.union([z.string(), z.number(), z.boolean()]);

const partSchema = z.strictObject({
  says: sentence,
  /** Whose part it is: the resource's own where it is left out, else that of one of its neighbours. */
  at: z.enum(Object.keys(NEIGHBOURS) as [NeighbourName, ...NeighbourName[]]).optional(),
  /** What that has to be; the kinds of the combination where it is the resource's own. */
  kind: kind.optional(),
  /** Fields of the view of that kind, each with its value. */
  where: z.record(z.string(), value).optional(),
  exposure: z.array(z.enum(EXPOSURE_LEVELS)).min(1).optional(),
  environment: z.array(z.enum(ENVIRONMENTS)).min(1).optional(),
  criticality: z
    .array(z.enum(['critical', 'high', 'medium', 'low']))
    .min(1)
    .optional(),
  /** Whether it holds data of a class whose loss hurts, or of one of these. */
  data: z.union([z.literal(true), z.array(z.enum(DATA_CLASSES as [string, ...string[]])).min(1)]).optional(),
  /** A finding that it has. */
  finding: z
    .strictObject({
      engines: z.array(z.string()).min(1),
      rules: z.array(z.string()).min(1).optional(),
      /** So severe at least. */
      severity: z.enum(SEVERITIES).optional(),
      known_exploited: z.literal(true).optional(),
      secret: z.literal(true).optional(),
    })
    .optional(),
});

const combinationSchema = z.strictObject({
  rule_id: z.string().regex(/^palisade-[a-z0-9-]+$/),
  title: z.string().min(1),
  severity: z.enum(SEVERITIES),
  /** Which side of the estate it is a risk of. */
  group: z.enum(['posture', 'workload', 'identity', 'data']),
  /** What it is a combination of: a resource of one of these kinds. */
  on: z.array(kind).min(1),
  parts: z.array(partSchema).min(2),
  description: sentence,
  steps: z.array(sentence).min(1),
  references: z.array(z.url()).min(1),
});

export type CombinationPart = z.infer<typeof partSchema>;
/** What is worse together than alone. */
export type Combination = z.infer<typeof combinationSchema> & { readonly engine: 'cnapp' };

const folder = new URL('./combinations/', import.meta.url);

/** Every combination, by the id of its rule. @throws where a file is not of the form */
export const COMBINATIONS: ReadonlyMap<string, Combination> = new Map(
  readdirSync(folder)
    .sort()
    .flatMap((file) => z.array(combinationSchema).parse(load(readFileSync(new URL(file, folder), 'utf8'))))
    .map((one) => [one.rule_id, { ...one, engine: 'cnapp' as const }]),
);
