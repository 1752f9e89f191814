import { loadAccounts } from '../demo/accounts.js';
import { loadReports } from '../demo/reports.js';
import { jobHandlersOf } from '../processes/services.js';
import { joinStore } from '../processes/store.js';
import { conflict } from '../kit/base/errors.js';
import { Worker } from '../kit/engine/worker.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator } from './operator.js';
import { showProgress } from './progress.js';

const USAGE = `palisade demo load [--data DIR]
Loads the demo's customers, accounts and reports into an empty store, beside running processes or without them, and prints the accounts. Run again, it
makes good what was interrupted. A store that holds organizations of yours is left as it is.`;

/** The command `palisade demo`. */
export const run = command(USAGE, { data: text }, async ({ data }, positionals) => {
  if (positionals.join(' ') !== 'load') throw new UsageError('say load');
  return asOperator(
    'palisade demo',
    data,
    async (services, engines) => {
      // the reports are jobs: this process does them where no worker runs
      const worker = new Worker(services, jobHandlersOf(engines), 1);
      const progress = showProgress('palisade demo');
      try {
        const demo = await loadAccounts(services);
        if (!demo) throw conflict('The store holds organizations that are not of the demo: it is left as it is');
        await loadReports(services, ({ loaded, reports }) => progress.step(`loading the demo, ${loaded} of ${reports} reports are in`));
        return demo.text;
      } finally {
        progress.stop();
        await worker.stop();
      }
    },
    joinStore,
  );
});
