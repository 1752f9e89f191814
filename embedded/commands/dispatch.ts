import type { Socket } from 'node:net';
import { Operation } from '../operation.js';
import { CommandError, errorReply, notSupported } from '../errors.js';
import type { Transaction } from '../transactions.js';
import * as admin from './admin.js';
import { aggregate, distinct } from './aggregate.js';
import { checkpoint } from './checkpoint.js';
import * as collections from './collections.js';
import type { Command, Reply } from './command.js';
import type { CommandContext, Handler, ServerState } from './context.js';
import { explain } from './explain.js';
import { count, find, getMore, killCursors } from './find.js';
import { findAndModify } from './find-and-modify.js';
import { createIndexes, dropIndexes, listIndexes } from './indexes.js';
import { insert } from './insert.js';
import { readLsid } from './session-id.js';
import { deleteDocuments, update } from './update.js';

const HANDLERS = new Map<string, Handler>(
  Object.entries({
    hello: admin.hello,
    ismaster: admin.hello,
    ping: admin.ping,
    buildinfo: admin.buildInfo,
    getparameter: admin.getParameter,
    serverstatus: admin.serverStatus,
    connectionstatus: admin.connectionStatus,
    endsessions: admin.endSessions,
    killsessions: admin.endSessions,
    refreshsessions: admin.acknowledge,
    committransaction: admin.commitTransaction,
    aborttransaction: admin.abortTransaction,
    logout: admin.acknowledge,
    find,
    getmore: getMore,
    killcursors: killCursors,
    count,
    distinct,
    aggregate,
    explain,
    insert,
    update,
    delete: deleteDocuments,
    findandmodify: findAndModify,
    createindexes: createIndexes,
    dropindexes: dropIndexes,
    deleteindexes: dropIndexes,
    listindexes: listIndexes,
    create: collections.create,
    drop: collections.drop,
    dropdatabase: collections.dropDatabase,
    renamecollection: collections.renameCollection,
    listcollections: collections.listCollections,
    listdatabases: collections.listDatabases,
    collmod: collections.collMod,
    collstats: collections.collStats,
    dbstats: collections.dbStats,
    writecheckpoint: checkpoint,
  } satisfies Record<string, Handler>),
);

/** Commands of MongoDB that the store knows of and does not have. */
const LACKING = new Set([
  'mapreduce',
  'geonear',
  'geosearch',
  'eval',
  'bulkwrite',
  'saslstart',
  'sasl_start',
  'createuser',
  'createrole',
  'compact',
  'validate',
  'currentop',
  'killop',
  'replsetgetstatus',
]);
const RETRYABLE = new Set(['insert', 'update', 'delete', 'findandmodify']);
const TRANSACTION_END = new Set(['committransaction', 'aborttransaction']);
const NOT_IN_TRANSACTIONS = new Set([
  'writecheckpoint',
  'drop',
  'dropdatabase',
  'renamecollection',
  'dropindexes',
  'createindexes',
  'count',
  'listcollections',
  'listindexes',
  'listdatabases',
  'collmod',
  'explain',
]);

/** Runs a command and answers its reply; an error becomes an error reply. */
export async function dispatch(state: ServerState, command: Command, connection: Socket, connectionId: number): Promise<Reply> {
  const name = command.name.toLowerCase();
  const handler = HANDLERS.get(name);
  try {
    await state.store.database.opened();
    if (!handler)
      throw LACKING.has(name) ? notSupported(`The command ${command.name}`) : new CommandError(59, `no such command: '${command.name}'`);
    const lsid = command.get('lsid');
    const session = lsid && state.sessions.get(readLsid(lsid));
    const txnNumber = command.get('txnNumber');
    const operation = new Operation(connection, command.number('maxTimeMS') || undefined);
    const base = { ...state, command, session, connectionId, connection, operation, check: operation.check, transaction: undefined };
    if (!session || !txnNumber || TRANSACTION_END.has(name)) return await handler(base);
    const number = BigInt(command.number('txnNumber') ?? 0);
    const autocommit = command.get('autocommit');
    if (!autocommit)
      return RETRYABLE.has(name) ? await state.sessions.once(session, number, async () => handler(base)) : await handler(base);
    if (NOT_IN_TRANSACTIONS.has(name)) throw new CommandError(263, `Cannot run '${command.name}' in a multi-document transaction.`);
    const transaction = state.sessions.transactionOf(session, number, command.boolean('startTransaction'), connection);
    return await inTransaction(handler, { ...base, transaction }, transaction);
  } catch (error) {
    return errorReply(error);
  }
}

/** Runs a command of a transaction; a failure, also one of a single statement, aborts the transaction as in MongoDB. */
async function inTransaction(handler: Handler, context: CommandContext, transaction: Transaction): Promise<Reply> {
  try {
    const reply = await handler(context);
    if (!Buffer.isBuffer(reply) && 'writeErrors' in reply) transaction.finish();
    return reply;
  } catch (error) {
    transaction.finish();
    throw error;
  }
}
