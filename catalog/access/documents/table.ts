import { z } from 'zod';
import { paths, privilegesSchema, readTable, texts } from '../table.js';

const statementSchema = z.strictObject({ allow: texts, allow_all_but: texts });

const partSchema = z.strictObject({
  type: texts,
  /** An identity of this kind. */
  identity: z.enum(['user', 'role', 'group']).optional(),
  /** Attributes that hold policy documents. */
  documents: paths,
  /** References to policies. */
  policies: paths,
  /** References to the identities that get them; the resource itself where it is one. */
  holders: paths,
  boundary: paths,
  /** A policy that others refer to. */
  policy: z.boolean().default(false),
  members: paths,
  groups: paths,
  /** The resource whose policy the documents are: `self` or a reference. */
  resource: paths,
  /** Documents that say who may take the identity on. */
  trust: paths,
  /** One statement that is written in attributes. */
  statement: z.strictObject({ action: z.string(), principal: z.string(), conditions: paths }).optional(),
  /** A switch that shuts strangers out of the resource, or of all of the account. */
  restricts: z.string().optional(),
  account: z.string().optional(),
  /** The attribute that names the kind of a policy of the organization. */
  organization: z.string().optional(),
  target: z.string().optional(),
  /** The attribute that names the unit of the organization in which it lies. */
  unit: z.string().optional(),
  root: z.string().optional(),
  master: z.string().optional(),
});

const schema = z.strictObject({
  provider: z.string(),
  /** The kind of principal that names identities and accounts. */
  principals: z.string(),
  account: z.string().transform((source) => new RegExp(source)),
  everybody_of_account: z.string(),
  inside: z.array(z.strictObject({ type: z.string(), actions: texts, name: z.string() })).default([]),
  /** Resources whose policy alone says whether identity policies count, for some actions. */
  decisive: z.array(z.strictObject({ type: texts, actions: z.string() })).default([]),
  /** How a resource is named in policies, where no attribute of it says. `{attribute}`, `{a|b}` for the first of two, `{a=default}`. */
  names: z.record(z.string(), z.string()).default({}),
  parts: z.array(partSchema),
  organization: z.strictObject({ allow: z.array(z.string()), deny: z.array(z.string()), absent: z.string(), name: z.string() }),
  managed: z.strictObject({
    prefix: z.string().transform((source) => new RegExp(source)),
    /** What the provider's own policies come to, where no file of `catalog/access/managed/` has them. */
    policies: z.record(z.string(), z.array(statementSchema)).default({}),
  }),
  privileges: privilegesSchema,
});

export type DocumentTable = z.infer<typeof schema>;
export type DocumentPart = DocumentTable['parts'][number];

const tables = new Map<string, DocumentTable>();

/** The table of a provider whose rights are written in policy documents: aws, alicloud. */
export function documentTable(provider: string): DocumentTable {
  const table = tables.get(provider) ?? readTable(schema, provider);
  tables.set(provider, table);
  return table;
}
