import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSION = '5.2.5';

/**
 * The server of moto, which answers as AWS does, in a virtual environment of Python's under the temporary folder; it is made once and kept there. Undefined where
 * Python is missing or the package cannot be had: what needs it is skipped by name.
 */
export function motoServer(): string | undefined {
  const kept = join(tmpdir(), `palisade-moto-${VERSION}`);
  const script = (folder: string): string => join(folder, 'bin', 'moto_server');
  if (existsSync(script(kept))) return script(kept);
  const made = mkdtempSync(join(tmpdir(), 'palisade-moto-'));
  const run = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status === 0;
  if (!run('python3', '-m', 'venv', made) || !run(join(made, 'bin', 'pip'), 'install', '-q', `moto[server]==${VERSION}`)) {
    rmSync(made, { recursive: true, force: true });
    process.stderr.write(`moto ${VERSION} cannot be installed here: tests that need it are skipped\n`);
    return undefined;
  }
  // the scripts name the interpreter by where it was made; modules run wherever it is
  try {
    renameSync(made, kept);
  } catch {
    rmSync(made, { recursive: true, force: true });
  }
  return existsSync(script(kept)) ? script(kept) : undefined;
}

/** A moto that runs. */
export interface Moto {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the server at a port of 127.0.0.1 that it finds free. @throws when it does not answer in five minutes */
export async function startMoto(script: string): Promise<Moto> {
  const child = spawn(join(script, '..', 'python3'), ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    env: { PATH: process.env['PATH'], MOTO_EC2_LOAD_DEFAULT_AMIS: 'false' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await addressOf(child);
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  let printed = '';
  const found = new Promise<string>((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      if (printed.length < 10_000) printed += text;
      const address = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(printed)?.[1];
      if (address) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`moto ended with ${code}: ${printed}`)));
  });
  const late = sleep(300_000, undefined, { ref: false }).then(() => Promise.reject(new Error(`moto does not start: ${printed}`)));
  return Promise.race([found, late]);
}
