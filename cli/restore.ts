import { BackupError } from '../processes/backup/manifest.js';
import { restore } from '../processes/backup/restore.js';
import { openServices } from '../processes/services.js';
import { auditHeads } from '../kit/audit/audit.js';
import { loadConfig } from '../kit/base/config.js';
import { getAuditLog } from '../kit/engine/create-context.js';
import { createLogger } from '../kit/base/logger.js';
import { sessions } from '../accounts/session-record.js';
import { command, text, UsageError } from './command-line.js';

const USAGE = `palisade restore DIR [--data D] [--key-file FILE]
Puts the backup in DIR into the empty data folder D, under the master key that it was made under: PALISADE_SECRET, or FILE, a copy of master.key.
It checks the backup before, and every audit log after; everybody signs in anew.`;

/** The command `palisade restore`. */
export const run = command(USAGE, { data: text, 'key-file': text }, async ({ data, 'key-file': keyFile }, [folder, ...more]) => {
  if (!folder || more.length > 0) throw new UsageError('name the folder of a backup');
  const environment = { ...process.env, MONGODB_URI: undefined, SMTP_URL: undefined };
  const config = loadConfig(environment, data ? ['--data', data] : []);
  try {
    const { made_at } = await restore(config, folder, keyFile);
    process.stdout.write(`The backup of ${made_at} is in ${config.dataDir}\n`);
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    process.stderr.write(`palisade restore: ${error.message}\n`);
    return 1;
  }
  const opened = await openServices(config, createLogger(config.LOG_LEVEL));
  try {
    const { database } = opened.services;
    // who was signed out, or removed, since the backup would be in again
    await database.system(sessions).remove({});
    let code = 0;
    for await (const { tenant_id } of database.system(auditHeads).scan({}, { fields: ['tenant_id'], sort: { _id: 1 } })) {
      const { entries, broken } = await getAuditLog(opened.services).verify(tenant_id);
      process.stdout.write(
        broken
          ? `the audit log of ${tenant_id} is broken at seq ${broken.seq}: ${broken.reason}\n`
          : `${entries} entries of ${tenant_id} hold\n`,
      );
      if (broken) code = 1;
    }
    return code;
  } finally {
    await opened.close();
  }
});
