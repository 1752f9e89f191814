#!/usr/bin/env node
// The one entry. It sets what Apollo and graphql read while they load, and only then loads the command.
import { setFlagsFromString } from 'node:v8';

process.env['APOLLO_TELEMETRY_DISABLED'] = 'true';
process.env['NODE_ENV'] ??= 'production';
// Most of a start's code runs once. V8 optimizes nine times later than it would, which takes a third off the start; what stays hot is optimized all the same.
setFlagsFromString('--interrupt-budget=600000');

const COMMANDS: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  all: () => import('./cli/serve.js').then(({ serve }) => serve('all')),
  gateway: () => import('./cli/serve.js').then(({ serve }) => serve('gateway')),
  engines: () => import('./cli/serve.js').then(({ serve }) => serve('engines')),
  worker: () => import('./cli/serve.js').then(({ serve }) => serve('worker')),
  import: () => import('./cli/import.js'),
  audit: () => import('./cli/audit.js'),
  check: () => import('./cli/check.js'),
  tenant: () => import('./cli/tenant.js'),
  invite: () => import('./cli/invite.js'),
  staff: () => import('./cli/staff.js'),
  domain: () => import('./cli/domain.js'),
  keys: () => import('./cli/keys.js'),
  mfa: () => import('./cli/mfa.js'),
  backup: () => import('./cli/backup.js'),
  restore: () => import('./cli/restore.js'),
};

const USAGE = `palisade [all] [--data DIR | --memory] [--empty]     everything in one process (the default)
palisade gateway | engines | worker                  one part, over MONGODB_URI
palisade import FILE... --tenant T [--format F]      import reports from a shell
palisade tenant create --organization O --name N --admin EMAIL   make a tenant; prints its first administrator's invitation
palisade invite --tenant T --email EMAIL --role R    invite somebody from a shell; prints the link
palisade staff add --email EMAIL                     make one of the operator's own support staff
palisade domain vouch --domain D --organization O     answer for an organization's domain, for 90 days
palisade keys list | rotate --purpose P              list the signing keys, or make the next one
palisade keys rotate-master                          put a new master secret in the place of the present one
palisade tenant restore | erase --tenant T           take an ended tenant back; erase addresses in the log of a removed one
palisade backup DIR                                  back the data folder up, beside a running server
palisade restore DIR [--data D]                      put a backup into an empty data folder
palisade mfa reset --email EMAIL                     take away a second factor that was lost
palisade audit verify --tenant T                     check the audit log's chain
palisade check FILE... [--format F] [--fail-on S]    evaluate the rules over plans, states and manifests, without a server
Settings come from the environment; README.md lists them.`;

const [first = 'all', ...rest] = process.argv.slice(2);
const [name, args] = first.startsWith('--') && first !== '--help' ? ['all', [first, ...rest]] : [first, rest];
const load = COMMANDS[name];
if (!load) {
  const asked = name === 'help' || name === '--help' || name === '-h';
  (asked ? process.stdout : process.stderr).write(`${asked ? '' : `unknown command: ${name}\n`}${USAGE}\n`);
  process.exitCode = asked ? 0 : 2;
} else {
  const { run } = await load();
  process.exitCode = await run(args);
}
