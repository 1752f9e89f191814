import { existsSync, lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The socket at which the process that made a temporary folder can be seen to live. */
const SOCKETS = { store: 'store.sock', objects: 'alive.sock' } as const;
type Kind = keyof typeof SOCKETS;

/** Unix sockets are reached by their path, also from another container that shares the folder: a process's number would mean nothing there. */
const hasUnixSockets = process.platform !== 'win32';

/** Makes `palisade-<kind>-XXXXXX` among the system's temporary files. The caller listens at `socket` of it for as long as it is used. */
export function makeTemporaryFolder(kind: Kind): { path: string; socket: string } {
  const path = mkdtempSync(join(tmpdir(), `palisade-${kind}-`));
  return { path, socket: join(path, SOCKETS[kind]) };
}

/** A temporary folder of this process. */
export interface TemporaryFolder {
  readonly path: string;
  /** Removes it. */
  close(): Promise<void>;
}

/** Makes a temporary folder that this process is seen to use until it closes it, or ends. */
export async function openTemporaryFolder(kind: Kind): Promise<TemporaryFolder> {
  const { path, socket } = makeTemporaryFolder(kind);
  const server = hasUnixSockets
    ? createServer((client) => client.destroy())
        .listen(socket)
        .unref()
    : null;
  if (server) await once(server, 'listening');
  return {
    path,
    async close() {
      server?.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Milliseconds: between making a socket and listening at it, it looks like one that nobody listens at. */
const YOUNG = 10_000;
/** Milliseconds after which a folder without a socket is of no start that still reads its data. */
const ABANDONED = 3_600_000;

/**
 * Removes temporary folders whose process was killed: those of this user where nobody listens at the socket any more. One that is seconds old
 * is left, and one without a socket for an hour: its process may be about to listen.
 * @returns the folders removed
 */
export async function sweepTemporaryFolders(parent = tmpdir()): Promise<string[]> {
  if (!hasUnixSockets) return [];
  const removed: string[] = [];
  for (const name of readdirSync(parent)) {
    const kind = /^palisade-(store|objects)-[A-Za-z0-9]{6}$/.exec(name)?.[1] as Kind | undefined;
    if (!kind) continue;
    const path = join(parent, name);
    try {
      const folder = lstatSync(path);
      const socket = join(path, SOCKETS[kind]);
      const age = Date.now() - folder.mtimeMs;
      if (!folder.isDirectory() || folder.uid !== process.getuid?.() || age < YOUNG) continue;
      if (existsSync(socket)) {
        if (await answers(socket)) continue;
        rmSync(path, { recursive: true, force: true });
      } else {
        if (age < ABANDONED) continue;
        // only when it is empty: otherwise nobody knows whose it is
        rmdirSync(path);
      }
      removed.push(path);
    } catch {
      // another process removes it at this very moment, or it holds something else
    }
  }
  return removed;
}

/** Whether somebody listens at a Unix socket; false only when the system says that nobody does. */
async function answers(socket: string): Promise<boolean> {
  const client = connect(socket);
  try {
    await once(client, 'connect');
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED';
  } finally {
    client.destroy();
  }
}
