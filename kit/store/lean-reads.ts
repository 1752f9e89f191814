import { mongo, type Connection } from 'mongoose';
import type { NetConnectOpts } from 'node:net';
import { WireConnection } from './wire-connection.js';

/** A command that answers with a cursor: `find` or `aggregate`. */
type CursorCommand = Readonly<Record<string, unknown>>;

interface Cursor<T> {
  /** 0 when there is nothing more. */
  readonly id: number | bigint | mongo.Long;
  readonly ns: string;
  readonly firstBatch?: T[];
  readonly nextBatch?: T[];
}

/** Connections of one process at most; a slow read holds up what is asked behind it on the same one. */
const CONNECTIONS = 8;

const isExhausted = <T>({ id }: Cursor<T>): boolean => (typeof id === 'object' ? id.isZero() : Number(id) === 0);
const collectionOf = <T>({ ns }: Cursor<T>): string => ns.slice(ns.indexOf('.') + 1);
const longOf = <T>({ id }: Cursor<T>): mongo.Long => (typeof id === 'object' ? id : mongo.Long.fromString(String(id)));

function cursorOf<T>(reply: mongo.BSON.Document): Cursor<T> {
  if (reply['ok'] !== 1) throw new Error(`the store refuses: ${String(reply['errmsg'])}`);
  return reply['cursor'] as Cursor<T>;
}

/**
 * Where the store is reached without sign-in and encryption, as the embedded one is: by one address, which alone is asked. Null for every other
 * server, whose handshakes, members and their changes are the driver's to know.
 */
function plainAddress({ options }: mongo.MongoClient): NetConnectOpts | null {
  const [address, ...others] = options.hosts;
  if (!address || others.length > 0 || !options.directConnection) return null;
  if (options.tls || options.credentials || options.proxyHost !== undefined || options.autoEncryption) return null;
  if (options.readPreference.mode !== 'primary' || options.readConcern) return null;
  if (address.socketPath !== undefined) return { path: address.socketPath };
  return address.host !== undefined && address.port !== undefined ? { host: address.host, port: address.port } : null;
}

/** Connections of our own to a store at a plain address. */
class PlainReads {
  private readonly connections: WireConnection[] = [];
  private isClosed = false;

  constructor(
    private readonly address: NetConnectOpts,
    private readonly database: string,
  ) {}

  /** All rows that `command` answers with; asked once more where the connection breaks. @throws whatever is wrong with the command, or with both */
  async read<T>(command: CursorCommand): Promise<T[]> {
    const place = this.leastBusy();
    const connection = this.at(place);
    try {
      return await this.readOver<T>(connection, command);
    } catch (error) {
      if (connection.isOpen) throw error;
      return this.readOver<T>(this.at(place), command);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.connections) connection.close();
  }

  private async readOver<T>(connection: WireConnection, command: CursorCommand): Promise<T[]> {
    const $db = this.database;
    const first = cursorOf<T>(await connection.run({ ...command, $db }));
    const batches = [first.firstBatch ?? []];
    for (let cursor = first; !isExhausted(cursor); batches.push(cursor.nextBatch ?? []))
      cursor = cursorOf<T>(await connection.run({ getMore: longOf(cursor), collection: collectionOf(cursor), $db }));
    return batches.length === 1 ? batches[0]! : batches.flat();
  }

  /** The connection of a place, a new one where there is none or it has broken. */
  private at(place: number): WireConnection {
    if (this.isClosed) throw new Error('the database is closed');
    const present = this.connections[place];
    return present?.isOpen ? present : (this.connections[place] = new WireConnection(this.address));
  }

  private leastBusy(): number {
    const loads = this.connections.map(({ load }) => load);
    const least = Math.min(...loads);
    return least === 0 || loads.length >= CONNECTIONS ? loads.indexOf(least) : loads.length;
  }
}

const opened = new WeakMap<Connection, PlainReads | null>();

function plainReadsOf(connection: Connection): PlainReads | null {
  const known = opened.get(connection);
  if (known !== undefined) return known;
  const address = plainAddress(connection.getClient());
  const made = address && new PlainReads(address, connection.name);
  opened.set(connection, made);
  return made;
}

/** The rows that the driver gets with one command; null where there are more, or where its cursor may get them yet. */
async function readByCommand<T>(db: mongo.Db, command: CursorCommand): Promise<T[] | null> {
  const { readPreference, readConcern } = db;
  // what the driver's cursors take from the connection, commands have to be told
  const told = readConcern ? { ...command, readConcern } : command;
  const reply = await db.command(told, { readPreference, ignoreUndefined: true }).catch((error: unknown) => {
    // no server for as long as one is waited for: nobody waits twice
    if (error instanceof mongo.MongoServerSelectionError || !(error instanceof mongo.MongoError)) throw error;
    return null;
  });
  if (!reply) return null;
  const cursor = reply['cursor'] as Cursor<T>;
  if (isExhausted(cursor)) return cursor.firstBatch ?? [];
  // the server ends it by itself some minutes later, if this fails
  void db.command({ killCursors: collectionOf(cursor), cursors: [longOf(cursor)] }).catch(() => undefined);
  return null;
}

/**
 * The rows of a read outside of transactions, without mongoose and the driver's cursors: over connections of our own, where the store is at a plain
 * address, a row costs a fifth; elsewhere one command of the driver.
 * @returns null where the driver's own cursor has to ask: it selects a server anew, repeats what may be repeated, reads answers of many batches, and
 *   tells what is wrong
 */
export async function readLean<T>(connection: Connection, command: CursorCommand): Promise<T[] | null> {
  const plain = plainReadsOf(connection);
  return plain ? plain.read<T>(command).catch(() => null) : readByCommand<T>(connection.db!, command);
}

/** Ends what `readLean` has opened beside `connection`, for good. */
export function closeLeanReads(connection: Connection): void {
  opened.get(connection)?.close();
}
