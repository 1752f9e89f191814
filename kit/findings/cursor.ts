import { z } from 'zod';
import { badRequest } from '../base/errors.js';
import { partsFrom } from '../store/places.js';
import type { Filter, Sort } from '../store/query.js';
import type { Key } from './order.js';
import { findingRowId } from './row.js';

/** A place in a list over engines: the values of the sort of the finding before it, and the engine that holds this one. */
export interface Position {
  readonly values: readonly unknown[];
  readonly engine: string;
}

const position = z.strictObject({
  sort: z.string(),
  engine: z.string().min(1),
  values: z.array(z.union([z.number(), z.string(), z.strictObject({ at: z.iso.datetime() })])),
});

const nameOf = (sort: Sort): string =>
  Object.entries(sort)
    .map(([field, way]) => `${field}:${way}`)
    .join();

/** Where a finding stands in an order. */
export const positionOf = (key: Key, sort: Sort): Position => ({
  engine: key.engine,
  values: Object.keys(sort).map((field) => key[field as keyof Key]),
});

/** A place as clients hand it back. */
export function writeCursor({ engine, values }: Position, sort: Sort): string {
  const told = values.map((value) => (value instanceof Date ? { at: value.toISOString() } : value));
  return Buffer.from(JSON.stringify({ sort: nameOf(sort), engine, values: told })).toString('base64url');
}

/** @throws PalisadeError BAD_REQUEST for what is no cursor of a list in this order */
export function readCursor(text: string, sort: Sort): Position {
  const refuse = (): never => {
    throw badRequest('after must be the next_cursor of a page of this list in the same order');
  };
  let told: unknown;
  try {
    told = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return refuse();
  }
  const read = position.safeParse(told);
  if (!read.success || read.data.sort !== nameOf(sort)) return refuse();
  const { engine, values } = read.data;
  const revived = values.map((value) => (typeof value === 'object' ? new Date(value.at) : value));
  const isWhole = Object.keys(sort).every((field, n) =>
    field.endsWith('_at') ? revived[n] instanceof Date : typeof revived[n] === (field === 'finding_id' ? 'string' : 'number'),
  );
  return isWhole && revived.length === Object.keys(sort).length ? { engine, values: revived } : refuse();
}

/** The conditions of one engine's findings behind a place, each of a part that follows the one before it. */
export function partsBehind(tenantId: string, engine: string, { values, engine: at }: Position, sort: Sort): Filter[] {
  // of findings that are alike in all, those of the engines behind its own follow
  const isBehind = engine > at;
  const own = findingRowId(tenantId, engine, String(values.at(-1)));
  return partsFrom(sort, { from: { at: 0, values }, way: 1 }).map((part) => (isBehind ? part : { $and: [part, { _id: { $ne: own } }] }));
}
