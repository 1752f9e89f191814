import { openServices } from '../processes/services.js';
import { joinExistingStore } from '../processes/store.js';
import { loadConfig } from '../kit/base/config.js';
import { getAuditLog } from '../kit/engine/create-context.js';
import { createLogger } from '../kit/base/logger.js';
import { command, text, UsageError } from './command-line.js';

const USAGE =
  "palisade audit verify --tenant T [--data DIR]\nChecks the hash chain of a tenant's audit log; exit code 1 names the first entry that does not hold.";

/** The command `palisade audit`. */
export const run = command(USAGE, { tenant: text, data: text }, async (values, positionals) => {
  if (positionals[0] !== 'verify' || !values.tenant) throw new UsageError('say verify, and name a --tenant');
  const config = loadConfig(process.env, values.data ? ['--data', values.data] : []);
  const opened = await openServices(config, createLogger(config.LOG_LEVEL), { open: joinExistingStore });
  try {
    const { entries, first_seq, broken } = await getAuditLog(opened.services).verify(values.tenant);
    if (!broken && first_seq === 1 && entries === 0) {
      process.stderr.write(`there is no audit log of ${values.tenant}\n`);
      return 1;
    }
    if (!broken) {
      const since = first_seq > 1 ? `, from seq ${first_seq} on: older months are no longer kept` : '';
      process.stdout.write(`${entries} entries of ${values.tenant} hold${since}\n`);
      return 0;
    }
    process.stderr.write(`the audit log of ${values.tenant} is broken at seq ${broken.seq}: ${broken.reason}\n`);
    return 1;
  } finally {
    await opened.close();
  }
});
