import type { Socket } from 'node:net';
import type { Cursors } from '../cursors.js';
import type { Operation } from '../operation.js';
import type { Sessions, Session } from '../sessions.js';
import type { Store } from '../storage/store.js';
import type { Transaction } from '../transactions.js';
import type { Command, Reply } from './command.js';

/** What the commands of a server share. */
export interface ServerState {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly cursors: Cursors;
  /** host:port, as the driver sees it. */
  address: string;
  readonly startedAt: number;
}

/** What one command runs with. */
export interface CommandContext extends ServerState {
  readonly command: Command;
  readonly session: Session | undefined;
  readonly transaction: Transaction | undefined;
  readonly connectionId: number;
  readonly connection: Socket;
  readonly operation: Operation;
  /** Throws when the operation has been given up. */
  readonly check: () => void;
}

/** A command's implementation. */
export type Handler = (context: CommandContext) => Reply | Promise<Reply>;
