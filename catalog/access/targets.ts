import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { texts } from './table.js';
import type { Privilege } from './types.js';

const FOLDER = new URL('./targets/', import.meta.url);

/** Privileges on single resources, the mildest first; `admin` is over a whole account. */
export const ON_RESOURCES = ['read', 'write', 'manage_access'] as const satisfies readonly Privilege[];
export type OnResource = (typeof ON_RESOURCES)[number];

const fileSchema = z.strictObject({
  provider: z.string(),
  targets: z.array(z.strictObject({ type: texts, read: texts, write: texts, manage_access: texts })),
});

/** The actions that tell whether somebody has a privilege on resources of a type: one of them is enough. */
export type TargetActions = Readonly<Record<OnResource, readonly string[]>>;

let read: ReadonlyMap<string, ReadonlyMap<string, TargetActions>> | undefined;

function all(): NonNullable<typeof read> {
  read ??= new Map(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => fileSchema.parse(load(readFileSync(new URL(file, FOLDER), 'utf8'))))
      .map(({ provider, targets }) => [provider, new Map(targets.flatMap(({ type, ...actions }) => type.map((one) => [one, actions])))]),
  );
  return read;
}

/** The resource types on which access is kept, with what tells it (`catalog/access/targets/`). @throws where a file is not of the form */
export const targetsOf = (provider: string): ReadonlyMap<string, TargetActions> => all().get(provider) ?? new Map();
