import { keepHeapsSmall } from '../processes/heap.js';
import { optimizeAsUsual, optimizeLater } from '../processes/optimizer.js';
import { reasonOf } from './failure.js';
import { DEPLOYMENT_NAMES } from './names.js';
import type { Command } from './standalone.js';

/** Those that run until they are asked to end. */
const PARTS: readonly string[] = ['all', 'gateway', 'engines', 'worker'];

/** Each loads what it needs, and nothing before it is asked for. Beside them stand those that need no server (standalone.ts). */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  all: () => import('./serve.js').then(({ serve }) => serve('all')),
  gateway: () => import('./serve.js').then(({ serve }) => serve('gateway')),
  engines: () => import('./serve.js').then(({ serve }) => serve('engines')),
  worker: () => import('./serve.js').then(({ serve }) => serve('worker')),
  import: () => import('./import.js'),
  agent: () => import('./agent.js'),
  audit: () => import('./audit.js'),
  tenant: () => import('./tenant.js'),
  invite: () => import('./invite.js'),
  staff: () => import('./staff.js'),
  domain: () => import('./domain.js'),
  keys: () => import('./keys.js'),
  mfa: () => import('./mfa.js'),
  backup: () => import('./backup.js'),
  restore: () => import('./restore.js'),
  feeds: () => import('./feeds.js'),
  demo: () => import('./demo.js'),
} satisfies Record<(typeof DEPLOYMENT_NAMES)[number], unknown>;

export const NAMES: readonly string[] = DEPLOYMENT_NAMES;

/** Whether a command goes on until it is asked to end. */
export const serves = (name: string): boolean => PARTS.includes(name);

/** Loads a command. @param name one of NAMES */
export const findCommand = (name: string): Promise<Command> => COMMANDS[name]!();

// main.ts is no part of the bundle that this module heads (scripts/build/bundles.mjs), and what both look at must be there once
export { keepHeapsSmall, optimizeAsUsual, optimizeLater, reasonOf };
