import { argumentSchema, loadConfig, type Config } from '../kit/base/config.js';
import { createLogger, type Logger } from '../kit/base/logger.js';
import { optimizeAsUsual } from '../processes/optimizer.js';
import { runAll, runEngines, runGateway, runWorker, untilEnd, type Running } from '../processes/run.js';
import type { Overrides } from '../processes/services.js';
import { command, UsageError } from './command-line.js';
import { reasonOf } from './failure.js';
import { showProgress } from './progress.js';

const PARTS = { all: runAll, gateway: runGateway, engines: runEngines, worker: runWorker } satisfies Record<
  string,
  (config: Config, logger: Logger, overrides: Overrides) => Promise<Running>
>;

const USAGE = (part: string) => `palisade ${part} [--port N] [--data DIR | --memory] [--empty]
  --port    the port to listen on instead of PORT; 0 picks a free one
  --data    the data folder, .palisade when left out
  --memory  keeps nothing
  --empty   loads no demo
Settings come from the environment; docs/configuration.md lists them.`;

/** The command that runs a part of the product until it is asked to end. */
export function serve(part: keyof typeof PARTS): { run(args: string[]): Promise<number> } {
  const parse = (args: string[]) =>
    command(USAGE(part), argumentSchema, async (_values, [extra]) => {
      if (extra !== undefined) throw new UsageError(`${extra} is nothing that this command takes`);
      return run(part, args);
    })(args);
  return { run: parse };
}

async function run(part: keyof typeof PARTS, args: string[]): Promise<number> {
  const progress = showProgress(`palisade ${part}`);
  let running: Running;
  try {
    const config = loadConfig(process.env, args);
    running = await PARTS[part](config, createLogger(config.LOG_LEVEL), { onStep: progress.step });
  } catch (error) {
    process.stderr.write(`palisade ${part} could not start: ${reasonOf(error)}\n`);
    return 1;
  } finally {
    progress.stop();
    optimizeAsUsual();
  }
  // asked for before the greeting: who has read it may end the process at once
  const end = untilEnd(running.opened.store);
  process.stdout.write(greeting(part, running));
  const { demo } = running;
  void demo?.load().then(() => demo.status.status === 'loaded' && process.stdout.write('The demo is complete.\n'));
  const failure = await end;
  if (failure) return endWithoutStore(part, failure);
  process.stdout.write('Closing …\n');
  await running.close();
  return 0;
}

/** Every call would wait for a store that is gone: a process that ends is started again. Nothing can be put in order any more, so it ends at once. */
function endWithoutStore(part: string, failure: Error): Promise<never> {
  const line = `palisade ${part}: the embedded store has stopped, so this process ends: ${reasonOf(failure)}\n`;
  return new Promise(() => process.stderr.write(line, () => process.exit(1)));
}

function greeting(part: string, { url, demo, opened }: Running): string {
  const kept = opened.store.kind === 'mongodb' ? 'MongoDB' : (opened.config.dataDir ?? 'memory only');
  const warnings = opened.store.warnings.map((warning) => `Warning: ${warning}\n`).join('');
  if (part !== 'all') return `${warnings}Palisade ${part}${url ? ` at ${url}` : ''}, data in ${kept}\n`;
  const demoText = demo ? `\n${demo.accounts.text}\n${examples(url!, demo.accounts.password)}\n${STILL_LOADING(url!)}` : '';
  return `${warnings}Palisade is up at ${url}   (data: ${kept})\n${demoText}\nCtrl-C ends it.\n`;
}

const STILL_LOADING = (url: string) => `The demo's reports are being imported; ${url}/gateway/health tells how far that is.`;

const examples = (url: string, password: string) => `
Three lines to try${password.includes('$DEMO_PASSWORD') ? ', in a shell that has DEMO_PASSWORD, too' : ''}:
  curl -s -c jar -H 'Content-Type: application/json' -d '{"email":"analyst@acme.example","password":"${password}"}' ${url}/api/auth/login
  curl -s -b jar '${url}/api/v1/check/findings?severity=critical,high&page_size=5'
  curl -s -b jar --data-binary @demo/reports/semgrep.sarif '${url}/api/v1/scans/imports?artifact=my-repository'
`;
