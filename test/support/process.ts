import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = join(__dirname, '../../dist/main.js');

/** A process of the product under test. */
export interface TestProcess {
  readonly url: string;
  readonly pid: number;
  /** What it printed so far. */
  readonly output: () => string;
  /** Settles with the exit code when it has ended, by itself or not. */
  readonly ended: Promise<number | null>;
  /** Sends a signal and waits for the end. @returns the exit code, null after a kill */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `node dist/main.js ARGS` and resolves when it prints its greeting. @throws when it ends before that, with what it said */
export async function startProcess(args: readonly string[], env: Record<string, string> = {}): Promise<TestProcess> {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], {
    env: { ...inherited(), PORT: '0', NODE_ENV: 'production', ENGINE_TIMEOUT_MS: '300000', FAN_OUT_TIMEOUT_MS: '60000', ...env },
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
    pid: child.pid!,
    output: () => lines.join('\n'),
    ended: ended.then(([code]) => code),
    async end(signal) {
      child.kill(signal);
      return (await ended)[0];
    },
  };
}

/** Waits until every call can be served, the demo's reports included: `GET /gateway/health/ready`. */
export async function untilReady({ url }: TestProcess): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/gateway/health/ready`);
    await answer.text();
    if (answer.ok) return;
    await sleep(100);
  }
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
