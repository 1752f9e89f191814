import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const FOLDER = new URL('./tables/', import.meta.url);

/** A path, or several of which those count that a configuration has. */
export const paths = z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]);
export const texts = z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]);

/** Identities that others may act as, and the action that it takes. */
const assumableSchema = z.strictObject({ type: texts, action: z.string() });

/** How the actions of a provider are told apart by what they let their holder do. */
export const privilegesSchema = z.strictObject({
  /** What stands between the service and the verb of an action; the last one counts. */
  separator: z.string(),
  /** Resources that are all of an account, subscription, project, cluster or tenancy. */
  whole: z.string().transform((source) => new RegExp(source)),
  /** Actions of which an administrator has one at least, whatever is forbidden besides. */
  essential: z.array(z.string()).min(1),
  admin: z.array(z.string()),
  manage_access: z.array(z.string()),
  read: z.array(z.string()),
  /** What is left out of all statements and says nothing about how much one gives. */
  apart: z.array(z.string()).default([]),
  /** Identities that others may act as. */
  assumed: z.array(assumableSchema).default([]),
});

export type PrivilegeTable = z.infer<typeof privilegesSchema>;

/** The table of a provider. @throws where the file is not of the form */
export function readTable<T extends z.ZodType>(schema: T, provider: string): z.output<T> {
  return schema.parse(load(readFileSync(new URL(`${provider}.yaml`, FOLDER), 'utf8')));
}

/** The providers that have a table. */
export const providersWithTable = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
