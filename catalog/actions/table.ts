import { existsSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { PROVIDERS, type Provider } from '../../schema/model.js';

const FOLDER = new URL('./', import.meta.url);

const rights = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const form = z.string().transform((source) => new RegExp(source));

const tableSchema = z.strictObject({
  provider: z.enum(PROVIDERS),
  /** What stands between the service of a right and the rest of it; the first one counts. */
  separator: z.string(),
  /** Attributes of identities whose values logs call them by, beside their uids. */
  actors: z.array(z.string()),
  /** The log tells the rights that calls take, so that names of calls say nothing. */
  told: z.boolean().default(false),
  /** What stands behind the name of a call and is no part of it. */
  version: form.optional(),
  /** Services of the log -> services of rights, where they differ. */
  services: z.record(z.string(), z.string()).default({}),
  /** Calls whose rights are named otherwise, by service and call; null for one that takes none. */
  events: z.record(z.string(), z.record(z.string(), rights.nullable())).default({}),
  /** The same for all calls of a service of some form; the first counts. */
  forms: z.array(z.strictObject({ service: z.string(), calls: form, right: z.string() })).default([]),
  /** Classes of log, and the rights whose use each shows; null for none. The first that holds a right counts. */
  logs: z.array(z.strictObject({ log: z.string().nullable(), rights: z.array(z.string()) })).default([]),
  /** Rights whose calls name all the resources that they are asked on: how a name in the log is written in policies. */
  narrows: z.array(z.strictObject({ rights: z.array(z.string()), from: form, as: z.string() })).default([]),
  /** What this table does not know. */
  gaps: z.array(z.string()).min(1),
});

/** What a provider's audit logs say of the rights of its policies. */
export type ActionTable = z.infer<typeof tableSchema>;

/** The table of a provider (`catalog/actions/<provider>.yaml`). @throws where the file is not of the form */
export const actionTable = (provider: Provider): ActionTable =>
  tableSchema.parse(load(readFileSync(new URL(`${provider}.yaml`, FOLDER), 'utf8')));

/** The calls of a provider's interfaces by service, where its list is kept (`<provider>-operations.txt`): a line a service, its name first. */
export function operationsOf(provider: Provider): ReadonlyMap<string, readonly string[]> {
  const file = new URL(`${provider}-operations.txt`, FOLDER);
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [service = '', ...calls] = line.split(' ');
      return [service, calls];
    }),
  );
}
