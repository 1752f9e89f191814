import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAX_MILLISECONDS = 60_000;
const MAX_BYTES = 64 * 1024 ** 2;

/** What a tool printed, or why it printed nothing that can be used. */
export type ToolResult = { output: Buffer } | { missing: true } | { reason: string };

/** Runs the first of several commands that is installed, without credentials and settings of whoever checks, and without a shell. */
export async function runTool(commands: readonly (readonly [string, ...string[]])[]): Promise<ToolResult> {
  for (const [command, ...args] of commands) {
    const result = await run(command, args);
    if (!('missing' in result)) return result;
  }
  return { missing: true };
}

function run(command: string, args: readonly string[]): Promise<ToolResult> {
  const home = tmpdir();
  const env = { PATH: process.env.PATH ?? '', HOME: home, HELM_PLUGINS: join(home, 'no-plugins'), GIT_ALLOW_PROTOCOL: 'none' };
  const options = { env, timeout: MAX_MILLISECONDS, maxBuffer: MAX_BYTES, encoding: 'buffer', windowsHide: true } as const;
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ output: stdout });
      else if (error.code === 'ENOENT') resolve({ missing: true });
      else if (error.killed === true) resolve({ reason: `${command} took longer than a minute` });
      else resolve({ reason: lastLine(stderr.toString()) || error.message.split('\n')[0]! });
    });
  });
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)!.slice(0, 300);
