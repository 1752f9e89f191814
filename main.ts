#!/usr/bin/env node
// The one entry. Until it knows that this Node can run the rest, it loads nothing and is written so that an old one can read it: no static import, no
// await at the top, none of `??` and `?.`. It also sets what Apollo and graphql read while they load, and only then loads the command.

import type * as Commands from './cli/commands.js';
import type { Command } from './cli/standalone.js';

const USAGE = `palisade [all] [--port N] [--data DIR | --memory] [--empty]     everything in one process (the default)
palisade gateway | engines | worker                  one part, over MONGODB_URI
palisade import FILE... --tenant T [--format F]      import reports from a shell
palisade import FILE... --server URL [--format F]    send reports to a running server, with the key of PALISADE_API_KEY
palisade agent enroll|report|unit ...                  send reports of this host to a running server, signed by a key of its own
palisade check PATH... [--format F] [--fail-on S]    evaluate the rules over source code, plans, states and manifests, without a server
palisade rule show ID                                what a rule asks, why, and how to mend what fails
palisade completion bash|zsh|fish                    print what makes a shell complete commands and options
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
palisade feeds update kev|epss|osv FILE...           load what a vulnerability feed tells, for all tenants
palisade demo load                                   load the demo into an empty store
palisade --version
Settings come from the environment; docs/configuration.md lists them. "palisade COMMAND --help" tells more.`;

/** The oldest Node that runs the rest; package.json says the same. */
const OLDEST_NODE = [20, 19] as const;

function isOldNode(): boolean {
  const parts = process.versions.node.split('.').map(Number);
  const [major, minor] = [parts[0] as number, parts[1] as number];
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

async function runCommand(commands: typeof Commands, name: string, args: string[]): Promise<number> {
  process.env['APOLLO_TELEMETRY_DISABLED'] = 'true';
  if (process.env['NODE_ENV'] === undefined) process.env['NODE_ENV'] = 'production';
  const { findCommand, keepHeapsSmall, optimizeAsUsual, optimizeLater, reasonOf, serves } = commands;
  keepHeapsSmall();
  optimizeLater();
  try {
    const { run } = await findCommand(name);
    // what serves goes on to start, and says itself when it is up
    if (!serves(name)) optimizeAsUsual();
    return await run(args);
  } catch (error) {
    process.stderr.write(`palisade ${name}: ${reasonOf(error)}\n`);
    return 1;
  }
}

/** A command that ends soon: nothing of what a server is made of is loaded, and V8 keeps its own ways. */
async function runStandalone(load: () => Promise<Command>, name: string, args: string[]): Promise<number> {
  try {
    const { run } = await load();
    return await run(args);
  } catch (error) {
    const { reasonOf } = await import('./cli/failure.js');
    process.stderr.write(`palisade ${name}: ${reasonOf(error)}\n`);
    return 1;
  }
}

async function main(): Promise<number> {
  const given = process.argv.slice(2);
  const first = given.length === 0 ? 'all' : (given[0] as string);
  if (first === 'help' || first === '--help' || first === '-h') {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (first === '--version' || first === '-v') {
    const { version } = await import('./processes/version.js');
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const { STANDALONE } = await import('./cli/standalone.js');
  const standalone = Object.keys(STANDALONE);
  if (standalone.includes(first)) return runStandalone(STANDALONE[first] as () => Promise<Command>, first, given.slice(1));
  const commands = await import('./cli/commands.js');
  if (first.startsWith('-')) return runCommand(commands, 'all', given);
  if (commands.NAMES.includes(first)) return runCommand(commands, first, given.slice(1));
  const { didYouMean } = await import('./cli/did-you-mean.js');
  process.stderr.write(`palisade: unknown command ${first}${didYouMean(first, commands.NAMES.concat(standalone))}\n${USAGE}\n`);
  return 2;
}

if (isOldNode()) {
  process.stderr.write(`Palisade needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
} else {
  void main().then((code) => {
    process.exitCode = code;
  });
}
