import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';

const serve = join(__dirname, '../../dist/embedded/serve.js');
const folders: string[] = [];
const children: ChildProcess[] = [];

/** A folder for a journal, removed after the test file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-store-'));
  folders.push(folder);
  return folder;
}

/** A store in a process of its own, that can be killed. */
export interface StoreProcess {
  readonly client: MongoClient;
  readonly warnings: string[];
  kill(): Promise<void>;
}

/** Starts a store over a folder in a process of its own. */
export async function startProcess(dir: string): Promise<StoreProcess> {
  const child = spawn(process.execPath, [serve, '--dir', dir], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const warnings: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => warnings.push(line));
  const uri = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => reject(new Error(warnings.join('\n'))));
  });
  const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 2000 }).connect();
  return {
    client,
    warnings,
    async kill(): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await client.close().catch(() => undefined);
    },
  };
}

/** Ends what is left of the processes and folders of a test file. */
export function cleanUp(): void {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
