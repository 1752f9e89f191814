import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const FOLDER = new URL('./tables/', import.meta.url);
const paths = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Where the value of an attribute comes from: a path, several of which all values count, or one of the forms below. Steps of a path are separated by
 * dots; lists on the way are gone through; `^` goes to what the thing was found in.
 */
export type ValueSource =
  | string
  | string[]
  /** The first value of the first path that has one. */
  | { first: string[]; absent?: string | number | boolean | undefined }
  /** A list, of the first path whose values are texts. */
  | { list: string[] }
  /** A text with values in braces; `{region}` and `{account}` are those of the thing. Nothing while one of them is missing. */
  | { text: string }
  /** What stands behind the last slash or colon. */
  | { last: string }
  /** A value that a pattern fits. */
  | { match: string; pattern: string }
  /** Whether there is a value. */
  | { set: string }
  | { map: string; values: Record<string, string | number | boolean> }
  /** A document as JSON text; of the entry of a list for which `where` holds. */
  | { json: string; where?: Record<string, string | number | boolean> | undefined; in?: string | undefined }
  /** A list of keys and values, or an object of them. */
  | { tags: string }
  /** One block, as a list of one. */
  | { block: string; has?: string | undefined; values: Record<string, ValueSource> }
  | { blocks: string; where?: Record<string, string | number | boolean> | undefined; values: Record<string, ValueSource> };

const where = z.record(z.string(), scalar).optional();
const sourceSchema: z.ZodType<ValueSource> = z.lazy(() =>
  z.union([
    z.string(),
    z.array(z.string()),
    z.strictObject({ first: paths, absent: scalar.optional() }),
    z.strictObject({ list: paths }),
    z.strictObject({ text: z.string() }),
    z.strictObject({ last: z.string() }),
    z.strictObject({ match: z.string(), pattern: z.string() }),
    z.strictObject({ set: z.string() }),
    z.strictObject({ map: z.string(), values: z.record(z.string(), scalar) }),
    z.strictObject({ json: z.string(), where, in: z.string().optional() }),
    z.strictObject({ tags: z.string() }),
    z.strictObject({ block: z.string(), has: z.string().optional(), values: valuesSchema }),
    z.strictObject({ blocks: z.string(), where, values: valuesSchema }),
  ]),
) as z.ZodType<ValueSource>;
const valuesSchema: z.ZodType<Record<string, ValueSource>> = z.lazy(() => z.record(z.string(), sourceSchema));

const thingSchema = z.strictObject({
  /** The lists of an answer in which such things stand, and where in their entries. */
  answer: paths.default([]),
  /** Names of the kind of thing, in exports that say it: `AWS::EC2::Volume`, `Microsoft.Compute/disks`, `compute.googleapis.com/Disk`. */
  config: paths.default([]),
  type: z.string(),
  /** Attributes without which it is something else. */
  has: paths.default([]),
  values: valuesSchema,
  /** Further resources that it tells. */
  more: z.array(z.strictObject({ each: z.string(), has: paths.default([]), type: z.string(), values: valuesSchema })).default([]),
});

const tableSchema = z.strictObject({
  provider: z.enum(['aws', 'azure', 'gcp']),
  /** Values that every thing has, unless it says otherwise. */
  all: valuesSchema.default({}),
  things: z.array(thingSchema),
});

export type CloudTable = z.infer<typeof tableSchema>;
export type Thing = CloudTable['things'][number];

const tables = new Map<string, CloudTable>();

/** What a provider's interface answers, as Terraform names it (`importers/cloud/tables/`). @throws where the file is not of the form */
export function cloudTable(provider: CloudTable['provider']): CloudTable {
  const table = tables.get(provider) ?? tableSchema.parse(load(readFileSync(new URL(`${provider}.yaml`, FOLDER), 'utf8')));
  tables.set(provider, table);
  return table;
}
