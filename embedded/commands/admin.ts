import type { Document } from 'bson';
import { MAX_DOCUMENT_SIZE } from '../storage/writer.js';
import { MAX_MESSAGE_SIZE } from '../wire.js';
import { noSuchTransaction } from '../transactions.js';
import { CommandError } from '../errors.js';
import { readLsid } from './session-id.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';

/** The MongoDB version whose commands the store follows. */
const VERSION = '7.0.0';
const MAX_WIRE_VERSION = 21;

/** Presents the store as the primary of a replica set of one: drivers then allow transactions and retryable writes. */
export function hello({ address, connectionId, command }: CommandContext): Reply {
  const legacy = command.name === 'hello' ? { isWritablePrimary: true } : { ismaster: true };
  return {
    helloOk: true,
    ...legacy,
    secondary: false,
    setName: 'embedded',
    setVersion: 1,
    hosts: [address],
    primary: address,
    me: address,
    maxBsonObjectSize: MAX_DOCUMENT_SIZE,
    maxMessageSizeBytes: MAX_MESSAGE_SIZE,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
    ok: 1,
  };
}

export function ping(): Reply {
  return { ok: 1 };
}

export function buildInfo(): Reply {
  return {
    version: VERSION,
    versionArray: [7, 0, 0, 0],
    gitVersion: 'embedded',
    modules: ['embedded'],
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_SIZE,
    ok: 1,
  };
}

const PARAMETERS: Document = { featureCompatibilityVersion: { version: '7.0' }, transactionLifetimeLimitSeconds: 60 };

export function getParameter({ command }: CommandContext): Reply {
  const found = Object.fromEntries(
    Object.entries(PARAMETERS).filter(([name]) => command.get(name) !== undefined || command.string('getParameter') === '*'),
  );
  if (Object.keys(found).length === 0) throw new CommandError(72, 'no option found to get');
  return { ...found, ok: 1 };
}

export function serverStatus({ store, cursors, startedAt }: CommandContext): Reply {
  const memory = process.memoryUsage();
  return {
    host: 'embedded',
    version: VERSION,
    process: 'embedded',
    pid: process.pid,
    uptime: Math.floor((Date.now() - startedAt) / 1000),
    localTime: new Date(),
    connections: {},
    mem: { resident: Math.floor(memory.rss / 1024 / 1024) },
    metrics: { cursor: { open: { total: cursors.size } } },
    transactions: { currentOpen: store.transactions.size },
    ok: 1,
  };
}

export function endSessions({ command, sessions }: CommandContext): Reply {
  for (const value of command.array(command.name)) sessions.end(readLsid(value));
  return { ok: 1 };
}

function txnNumberOf({ command }: CommandContext): bigint {
  const value = command.get('txnNumber');
  return value ? BigInt(command.number('txnNumber') ?? 0) : -1n;
}

export async function commitTransaction(context: CommandContext): Promise<Reply> {
  const { session, sessions } = context;
  if (!session) throw noSuchTransaction(txnNumberOf(context));
  await sessions.commit(session, txnNumberOf(context));
  return { ok: 1 };
}

export function abortTransaction(context: CommandContext): Reply {
  const { session, sessions } = context;
  if (!session || session.txnNumber !== txnNumberOf(context) || !sessions.abort(session)) throw noSuchTransaction(txnNumberOf(context));
  return { ok: 1 };
}

/** Commands that have nothing to do here and are answered with success. */
export function acknowledge(): Reply {
  return { ok: 1 };
}

export function connectionStatus(): Reply {
  return { authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] }, ok: 1 };
}
