import type { Document } from 'bson';
import { BSON, childrenOf, getField, type RawValue } from '../bson/raw.js';
import { documentOf, fromRawValue } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { keyOf } from '../bson/key.js';
import { conjunctsOf, type Filter } from '../query/ast.js';
import { compileFilter, type Matcher } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { parseSort } from '../plan/sort.js';
import { QueryRun } from '../plan/query-run.js';
import { changeOne, insertWaiting, type Changed } from '../storage/change.js';
import { idKeyOf, type Collection } from '../storage/collection.js';
import { assertId } from '../storage/store.js';
import { Slice } from '../storage/slice.js';
import { Writer } from '../storage/writer.js';
import { parseArrayFilters } from '../update/positional.js';
import { compileUpdate, upsertBase, withId, type CompiledUpdate } from '../update/update.js';
import { Command, type Reply } from './command.js';
import type { CommandContext } from './context.js';
import { hintOf } from './find.js';
import { runStatements, withErrors } from './write-results.js';

const ID = Buffer.from('_id');

/** What a statement wants changed: documents of a filter, in an order, by an updater. */
export interface ChangeRequest {
  readonly collection: Collection;
  readonly writer: Writer;
  readonly filter: Filter;
  readonly matches: Matcher;
  readonly change: (bytes: Buffer, changed: Set<string>) => Buffer | null;
  readonly sort?: RawValue;
  readonly hint?: string;
  /** Throws when the operation has been given up. */
  readonly check: () => void;
}

/** Finds and changes the first matching document; looks for another when it changed meanwhile. */
export async function changeFirst(request: ChangeRequest): Promise<Changed | undefined> {
  const { collection, writer, filter, matches, change, hint } = request;
  const id = hint === undefined ? onlyIdOf(filter) : undefined;
  // what names its document needs no plan
  if (id !== undefined) return changeOne(writer, collection, id, matches, change);
  const sort = request.sort ? parseSort(childrenOf(request.sort)) : [];
  for (;;) {
    const query = await QueryRun.open({ collection, filter, sort, limit: 1, hint, transaction: writer.transaction, check: request.check });
    const found = await query.first();
    if (!found) return undefined;
    const changed = await changeOne(writer, collection, idKeyOf(found)!, matches, change);
    if (changed) return changed;
  }
}

/** The one _id whose document a filter may select. */
function onlyIdOf(filter: Filter): string | undefined {
  for (const one of conjunctsOf(filter)) {
    if (one.kind !== 'compare' || one.operator !== '$eq' || one.path.text !== '_id') continue;
    const { type, buf, off, end } = one.value;
    // of these the encoded value is the whole of what equals it
    if (type === BSON.string || type === BSON.objectId || type === BSON.int) return keyOf(type, buf, off, end);
  }
  return undefined;
}

/** Changes every matching document; `done` sees each. */
export async function changeAll(request: ChangeRequest, done: (changed: Changed) => void): Promise<void> {
  const { collection, writer, filter, matches, change, hint } = request;
  const query = await QueryRun.open({ collection, filter, hint, transaction: writer.transaction, check: request.check });
  const ids: string[] = [];
  for await (const batch of query.batches()) for (const bytes of batch) ids.push(idKeyOf(bytes)!);
  const slice = new Slice();
  for (const idKey of ids) {
    const changed = await changeOne(writer, collection, idKey, matches, change);
    if (changed) done(changed);
    await writer.commitMuch();
    if (slice.over()) await slice.next();
  }
}

/** Makes and inserts the document of an upsert that found none. Throws DuplicateKey when another came first. */
export async function upsert(collection: Collection, writer: Writer, filter: Filter, update: CompiledUpdate): Promise<Buffer> {
  const fields = upsertBase(filter);
  const base = update.replacement ? onlyId(fields) : update.mayMakeId ? fields : withId(fields);
  const withNewId = withId(update.run(base, true, new Set()));
  assertId(getField(withNewId, 0, ID)!);
  await insertWaiting(writer, collection, idKeyOf(withNewId)!, withNewId);
  return withNewId;
}

function onlyId(base: Buffer): Buffer {
  const value = getField(base, 0, ID);
  return documentOf(value ? [{ name: '_id', value }] : []);
}

/** Parses the arguments that update and findAndModify share. */
export function updateOf(filter: Filter, update: RawValue, arrayFilters: readonly RawValue[]): CompiledUpdate {
  return compileUpdate(update, { filter, arrayFilters: parseArrayFilters(arrayFilters) });
}

interface Totals {
  n: number;
  nModified: number;
  readonly upserted: Document[];
}

export async function update(context: CommandContext): Promise<Reply> {
  const { command, store, transaction } = context;
  const statements = command.array('updates');
  const collection = await store.getOrCreate(command.namespace);
  const writer = new Writer(store, transaction);
  const ordered = command.get('ordered') === undefined || command.boolean('ordered');
  const totals: Totals = { n: 0, nModified: 0, upserted: [] };
  const errors = await runStatements(writer, statements.length, ordered, transaction !== undefined, (i) =>
    updateStatement({ collection, writer, check: context.check }, new Command(statements[i]!), i, totals),
  );
  const upserted = totals.upserted.length > 0 ? { upserted: totals.upserted } : {};
  return withErrors({ n: totals.n, nModified: totals.nModified, ...upserted, ok: 1 }, errors);
}

async function updateStatement(
  { collection, writer, check }: Pick<ChangeRequest, 'collection' | 'writer' | 'check'>,
  statement: Command,
  index: number,
  totals: Totals,
): Promise<void> {
  statement.refuse('collation', 'Collation');
  const filter = parseFilter(statement.document('q'));
  const argument = statement.get('u');
  if (!argument) throw new CommandError(40414, "BSON field 'update.updates.u' is missing but a required field");
  const compiled = updateOf(filter, argument, statement.get('arrayFilters') ? statement.array('arrayFilters') : []);
  const multi = statement.boolean('multi');
  if (multi && compiled.replacement) throw new CommandError(9, 'multi update is not supported for replacement-style update');
  const request: ChangeRequest = {
    collection,
    writer,
    check,
    filter,
    matches: compileFilter(filter),
    change: (bytes, changed) => compiled.run(bytes, false, changed),
    sort: statement.get('sort'),
    hint: hintOf(collection, statement),
  };
  let matched = 0;
  const done = ({ before, after }: Changed): void => {
    matched++;
    totals.n++;
    if (before !== after) totals.nModified++;
  };
  if (multi) await changeAll(request, done);
  else {
    const changed = await changeFirst(request);
    if (changed) done(changed);
  }
  if (matched > 0 || !statement.boolean('upsert')) return;
  const inserted = await upsert(collection, writer, filter, compiled);
  totals.n++;
  totals.upserted.push({ index, _id: fromRawValue(getField(inserted, 0, ID)!) });
}

export async function deleteDocuments({ command, store, transaction, check }: CommandContext): Promise<Reply> {
  const statements = command.array('deletes');
  const writer = new Writer(store, transaction);
  const ordered = command.get('ordered') === undefined || command.boolean('ordered');
  const collection = store.find(command.namespace);
  let n = 0;
  const errors = await runStatements(writer, statements.length, ordered, transaction !== undefined, async (i) => {
    const statement = new Command(statements[i]!);
    statement.refuse('collation', 'Collation');
    const filter = parseFilter(statement.document('q'));
    if (!collection) return;
    const request: ChangeRequest = {
      collection,
      writer,
      check,
      filter,
      matches: compileFilter(filter),
      change: () => null,
      hint: hintOf(collection, statement),
    };
    if (statement.number('limit') === 1) n += (await changeFirst(request)) ? 1 : 0;
    else await changeAll(request, () => n++);
  });
  return withErrors({ n, ok: 1 }, errors);
}
