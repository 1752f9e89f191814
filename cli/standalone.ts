import type { STANDALONE_NAMES } from './names.js';

/** A command: takes the arguments behind its name and gives the exit code. */
export interface Command {
  run(args: string[]): Promise<number>;
}

/** Commands that need no server. Each heads a bundle of its own (scripts/build/bundles.mjs), so that it starts without what a server is made of. */
export const STANDALONE: Readonly<Record<string, () => Promise<Command>>> = {
  check: () => import('./check.js'),
  rule: () => import('./rule.js'),
  completion: () => import('./completion.js'),
} satisfies Record<(typeof STANDALONE_NAMES)[number], unknown>;
