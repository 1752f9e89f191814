import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

/** Reads `name backup(enabled start_time)`. @throws where brackets do not fit */
function readSame(text: string): Same[] {
  const levels: Same[][] = [[]];
  for (const [token] of text.matchAll(/[\w-]+|[()]/g)) {
    const level = levels.at(-1)!;
    const last = level.at(-1);
    if (token === '(') {
      if (typeof last !== 'string') throw new Error(`no block stands before ( in ${text}`);
      const same: Same[] = [];
      level[level.length - 1] = { block: last, same };
      levels.push(same);
    } else if (token === ')') levels.pop();
    else level.push(token);
    if (levels.length === 0) throw new Error(`a ) too many in ${text}`);
  }
  if (levels.length !== 1) throw new Error(`a ) is missing in ${text}`);
  return levels[0]!;
}

const FOLDER = new URL('./tables/', import.meta.url);
const paths = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Where the value of an attribute comes from: a path, several of which all values count, or one of the forms below. Steps of a path are separated by
 * dots; lists on the way are gone through; `^` goes to what the thing was found in, `$json` into a document that is written as text,
 * `$values` to the values of an object.
 */
export type ValueSource =
  | string
  | string[]
  /** The first value of the first path that has one. */
  | { first: string[]; absent?: string | number | boolean | undefined }
  /** A list, of the first path whose values are texts. */
  | { list: string[] }
  /** What stands between the commas of texts, one after the other. */
  | { split: string[] }
  /** All values at a path as one text, with commas between them. */
  | { join: string }
  /** A text with values in braces; `{region}` and `{account}` are those of the thing. Nothing while one of them is missing. */
  | { text: string }
  /** What stands behind the last slash or colon. */
  | { last: string }
  /** A value that a pattern fits. */
  | { match: string; pattern: string }
  /** What the group of a pattern takes of a value. */
  | { part: string; pattern: string }
  /** Whether there is a value. */
  | { set: string }
  /** What stands for a value, or with `take` for what the group of a pattern takes of it. */
  | {
      map: string;
      take?: string | undefined;
      values: Record<string, string | number | boolean>;
      absent?: string | number | boolean | undefined;
    }
  /** The value of the entry with a key, in a list of keys and values. */
  | { entry: string; key: string; values?: Record<string, string | number | boolean> | undefined }
  /** The opposite of a switch. */
  | { not: string }
  /** Whether one of the values at a path is this. */
  | { holds: string; value: string | number | boolean }
  /** The same for all things of the kind. */
  | { value: string | number | boolean }
  /** A document as JSON text; of the entry of a list for which `where` holds. */
  | { json: string; where?: Record<string, string | number | boolean> | undefined; in?: string | undefined }
  /** A list of keys and values, or an object of them; `keys` names the members where they are others. */
  | { tags: string; keys?: [string, string] | undefined }
  /** One block, as a list of one; `part` where what it does not show may be there all the same, `when` what it must say to be one, by patterns. */
  | {
      block: string;
      has?: string | undefined;
      when?: Record<string, string> | undefined;
      part?: true | undefined;
      values?: Values | undefined;
      same?: Same[] | undefined;
    }
  | {
      blocks: string;
      where?: Record<string, string | number | boolean> | undefined;
      values?: Values | undefined;
      same?: Same[] | undefined;
    };

export type Values = Record<string, ValueSource>;
/** An attribute, or a block and what it has, that the interface has under the same name; written `name backup(enabled start_time)`. */
export type Same = string | { block: string; same: Same[] };

const where = z.record(z.string(), scalar).optional();
const sameSchema = z.string().transform(readSame);
const sourceSchema: z.ZodType<ValueSource> = z.lazy(() =>
  z.union([
    z.string(),
    z.array(z.string()),
    z.strictObject({ first: paths, absent: scalar.optional() }),
    z.strictObject({ list: paths }),
    z.strictObject({ split: paths }),
    z.strictObject({ join: z.string() }),
    z.strictObject({ text: z.string() }),
    z.strictObject({ last: z.string() }),
    z.strictObject({ match: z.string(), pattern: z.string() }),
    z.strictObject({ part: z.string(), pattern: z.string() }),
    z.strictObject({ set: z.string() }),
    z.strictObject({ map: z.string(), take: z.string().optional(), values: z.record(z.string(), scalar), absent: scalar.optional() }),
    z.strictObject({ entry: z.string(), key: z.string(), values: z.record(z.string(), scalar).optional() }),
    z.strictObject({ not: z.string() }),
    z.strictObject({ holds: z.string(), value: scalar }),
    z.strictObject({ value: scalar }),
    z.strictObject({ json: z.string(), where, in: z.string().optional() }),
    z.strictObject({ tags: z.string(), keys: z.tuple([z.string(), z.string()]).optional() }),
    z.strictObject({
      block: z.string(),
      has: z.string().optional(),
      when: z.record(z.string(), z.string()).optional(),
      part: z.literal(true).optional(),
      values: valuesSchema.optional(),
      same: sameSchema.optional(),
    }),
    z.strictObject({ blocks: z.string(), where, values: valuesSchema.optional(), same: sameSchema.optional() }),
  ]),
) as z.ZodType<ValueSource>;
const valuesSchema: z.ZodType<Values> = z.lazy(() => z.record(z.string(), sourceSchema));

const made = {
  type: z.string(),
  /** Attributes without which it is something else. */
  has: paths.default([]),
  /** What `kind` or `osType` of such a thing must match, where one kind makes several types: patterns by paths. */
  when: z.record(z.string(), z.string()).default({}),
  values: valuesSchema.default({}),
  /** Attributes that the interface has under the same names, in its own spelling. */
  same: sameSchema.default([]),
  /** Arguments that Terraform alone has: no resource that is looked at has them. */
  never: z.array(z.string()).default([]),
};

/** Further resources that a thing tells. */
const moreSchema = z.strictObject({ each: z.string(), ...made });

/** A call about one thing, of the attributes that no list tells. */
const callSchema = z.strictObject({
  /** `get-bucket-policy`, or several that answer the same. */
  call: paths,
  /** Members of an answer by which it is known where nobody says which call it is. */
  has: paths.default([]),
  /** Where an answer names the thing, if it does. */
  subject: z.string().optional(),
  /** What an answer must say to be about the thing, where several are given about one: patterns by paths. */
  when: z.record(z.string(), z.string()).default({}),
  /** Codes of errors that say: there is none. After any other nobody knows. */
  none: z.array(z.string()).default([]),
  /** Attributes of the thing that the answer tells. */
  values: valuesSchema.default({}),
  same: sameSchema.default([]),
  /** Resources of their own that the answer tells; where there is none of it, the thing has none. */
  more: z.array(moreSchema).default([]),
});

const thingSchema = z.strictObject({
  /** The lists of an answer in which such things stand, and where in their entries. */
  answer: paths.default([]),
  /** Lists whose entries tell a part of each only. */
  summary: paths.default([]),
  /** Members of an answer that are such a thing. */
  one: paths.default([]),
  /** Members of an answer that is, as a whole, such a thing. */
  whole: paths.default([]),
  /**
   * Names of the kind of thing, in exports that say it: `AWS::EC2::Volume`, `Microsoft.Compute/disks`, `compute.googleapis.com/Disk`; of providers whose answers do
   * not, the call that lists them: `is/list-volumes`.
   */
  config: paths.default([]),
  ...made,
  more: z.array(moreSchema).default([]),
  /** Types of resources that Terraform has for parts of it: it tells all that there are, in attributes of its own. */
  tells: z.array(z.string()).default([]),
  /** The attributes by which calls name such a thing, with what they tell of the name: `bucket: '{subject}'`. */
  named: z.record(z.string(), z.string()).default({}),
  calls: z.array(callSchema).default([]),
});

const tableSchema = z.strictObject({
  provider: z.enum(['aws', 'azure', 'gcp', 'oci', 'alicloud', 'ibm', 'entra', 'scout', 'cloudformation']),
  /** Values that every thing has, unless it says otherwise. */
  all: valuesSchema.default({}),
  things: z.array(thingSchema),
});

export type CloudTable = z.infer<typeof tableSchema>;
export type Thing = CloudTable['things'][number];
/** A resource that a thing, or a call about it, makes. */
export type Made = Pick<Thing, 'type' | 'has' | 'when' | 'values' | 'same' | 'never'>;
export type More = z.infer<typeof moreSchema>;
export type ThingCall = z.infer<typeof callSchema>;

const tables = new Map<string, CloudTable>();

/** What a provider's interface answers, as Terraform names it (`importers/cloud/tables/`). @throws where the file is not of the form */
export function cloudTable(provider: CloudTable['provider']): CloudTable {
  const table = tables.get(provider) ?? tableSchema.parse(load(readFileSync(new URL(`${provider}.yaml`, FOLDER), 'utf8')));
  tables.set(provider, table);
  return table;
}
