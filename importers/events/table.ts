import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { PROVIDERS } from '../../schema/model.js';
import { asObject, member, type JsonObject } from '../readers/json/fields.js';

const FOLDER = new URL('./tables/', import.meta.url);

/** A path of member names, taken apart. */
export type Path = readonly string[];

const path = z.string().transform((text): Path => text.split('.'));
/** Of several paths the first that has a text counts. */
const paths = z.union([path.transform((one) => [one]), z.array(path)]).default([]);

/** A resource that a call names by a bare name, and what the provider calls it in whole: `{}` is the name, `{account}` and `{region}` the event's. */
const namedSchema = z.strictObject({ at: path, as: z.string(), services: z.array(z.string()).optional() });

const tableSchema = z.strictObject({
  provider: z.enum(PROVIDERS),
  /** Where the columns of an event stand in its record. */
  columns: z.strictObject({
    event_id: paths,
    time: paths,
    account_id: paths,
    region: paths,
    service: paths,
    action: paths,
    error: paths,
    session: paths,
    source_ip: paths,
    user_agent: paths,
    request_id: paths,
  }),
  /** Ids of credentials, of which four characters are kept. */
  keys: paths,
  /** Errors that say that a right was missing. */
  denied: z
    .string()
    .transform((source) => new RegExp(source, 'i'))
    .optional(),
  /** Resources by the parameters that name them. */
  named: z.array(namedSchema).default([]),
});

/** Where an audit log tells what. */
export type EventTable = z.infer<typeof tableSchema>;

/** The table of an audit log (`importers/events/tables/`). @throws where the file is not of the form */
export const eventTable = (source: string): EventTable => tableSchema.parse(load(readFileSync(new URL(`${source}.yaml`, FOLDER), 'utf8')));

/** What stands at a path; undefined where it leads nowhere. Of a list the first element counts. */
export function valueAt(record: JsonObject, steps: Path): unknown {
  let value: unknown = record;
  for (const step of steps) {
    const holder = asObject(Array.isArray(value) ? (value as unknown[])[0] : value);
    if (holder === undefined) return undefined;
    value = member(holder, step);
  }
  return value;
}

/** The first text, or number, at one of the paths; of a list its first element. */
export function textOf(record: JsonObject, all: readonly Path[]): string | undefined {
  for (const steps of all) {
    const found = valueAt(record, steps);
    const value = Array.isArray(found) ? (found as unknown[])[0] : found;
    if (typeof value === 'string' ? value.trim() !== '' : typeof value === 'number') return String(value);
  }
  return undefined;
}
