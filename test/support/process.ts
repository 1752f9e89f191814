import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const MAIN = join(__dirname, '../../dist/main.js');

/** A process of the product under test. */
export interface TestProcess {
  readonly url: string;
  /** What it printed so far. */
  readonly output: () => string;
  /** Sends a signal and waits for the end. @returns the exit code, null after a kill */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `node dist/main.js ARGS` and resolves when it prints its greeting. @throws when it ends before that, with what it said */
export async function startProcess(args: readonly string[], env: Record<string, string> = {}): Promise<TestProcess> {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], {
    env: { ...inherited(), PORT: '0', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const ended = once(child, 'exit') as Promise<[number | null]>;
  createInterface({ input: child.stderr! }).on('line', (line) => lines.push(line));
  const greeting = await new Promise<string>((resolve, reject) => {
    void ended.then(([code]) => reject(new Error(`it ended with ${code}: ${lines.join('\n')}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      lines.push(line);
      if (line.startsWith('Palisade')) resolve(line);
    });
  });
  return {
    url: /http:\/\/[\d.:]+/.exec(greeting)?.[0] ?? '',
    output: () => lines.join('\n'),
    async end(signal) {
      child.kill(signal);
      return (await ended)[0];
    },
  };
}

/** What a command printed, and its exit code. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `node dist/main.js ARGS` to its end. */
export async function runCommand(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...inherited(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

const inherited = (): NodeJS.ProcessEnv => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('JEST')));
