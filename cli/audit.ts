import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { openServices } from '../processes/services.js';
import { joinExistingStore } from '../processes/store.js';
import { loadConfig } from '../kit/base/config.js';
import type { AuditLog } from '../kit/audit/audit.js';
import type { AuditEntry, ProvenEntry } from '../kit/audit/entries.js';
import type { AuditAction } from '../kit/audit/entry.js';
import { getAuditLog } from '../kit/engine/create-context.js';
import { createLogger } from '../kit/base/logger.js';
import { command, text, UsageError } from './command-line.js';

const USAGE = `palisade audit verify --tenant T [--seq N | --line FILE] [--data DIR]
Checks the hash chain of a tenant's audit log; exit code 1 names the first entry that does not hold.
--seq N checks the entry of that number alone; --line FILE checks entries that an export in ndjson has sent, by themselves and against the log.`;

/** The command `palisade audit`. */
export const run = command(USAGE, { tenant: text, data: text, seq: text, line: text }, async (values, positionals) => {
  const { tenant, seq, line } = values;
  if (positionals[0] !== 'verify' || !tenant) throw new UsageError('say verify, and name a --tenant');
  if (seq !== undefined && line !== undefined) throw new UsageError('say --seq or --line');
  if (seq !== undefined && !/^[1-9]\d{0,14}$/.test(seq)) throw new UsageError('--seq takes the number of an entry');
  const lines = line === undefined ? null : readLines(await readFile(line, 'utf8'));
  const config = loadConfig(process.env, values.data ? ['--data', values.data] : []);
  const opened = await openServices(config, createLogger(config.LOG_LEVEL), { open: joinExistingStore });
  try {
    const log = getAuditLog(opened.services);
    if (lines) return await verifyLines(log, tenant, lines);
    return await (seq === undefined ? verifyAll(log, tenant) : verifyOne(log, tenant, Number(seq)));
  } finally {
    await opened.close();
  }
});

async function verifyAll(log: AuditLog, tenant: string): Promise<number> {
  const { entries, first_seq, broken } = await log.verify(tenant);
  if (!broken && first_seq === 1 && entries === 0) {
    process.stderr.write(`there is no audit log of ${tenant}\n`);
    return 1;
  }
  if (!broken) {
    const since = first_seq > 1 ? `, from seq ${first_seq} on: older months are no longer kept` : '';
    process.stdout.write(`${entries} entries of ${tenant} hold${since}\n`);
    return 0;
  }
  process.stderr.write(`the audit log of ${tenant} is broken at seq ${broken.seq}: ${broken.reason}\n`);
  return 1;
}

const told = ({ seq, timestamp, action, actor_email, target }: AuditEntry): string =>
  `entry ${seq}, ${action}${target ? ` of ${target}` : ''} by ${actor_email} at ${timestamp.toISOString()},`;

async function verifyOne(log: AuditLog, tenant: string, seq: number): Promise<number> {
  const proven = await log.prove(tenant, seq);
  if (proven?.holds) process.stdout.write(`${told(proven.entry)} holds\n`);
  else process.stderr.write(proven ? `entry ${seq} of ${tenant} was changed\n` : `there is no entry ${seq} of ${tenant}\n`);
  return proven?.holds ? 0 : 1;
}

/** An exported line as `entry` is read of it: what else stands in it is of no account. */
const exported = z.object({
  tenant_id: z.string(),
  seq: z.number().int(),
  timestamp: z.iso.datetime().transform((time) => new Date(time)),
  actor_email: z.string(),
  action: z.string().transform((action) => action as AuditAction),
  target: absent(z.string()),
  target_email: absent(z.string()),
  role: absent(z.string()),
  ip_address: absent(z.string()),
  result: z.enum(['success', 'failure']),
  detail: absent(z.record(z.string(), z.unknown())),
  support: absent(z.object({ access_id: z.string(), staff: z.string(), approved_by: z.string() })),
  api_key_id: absent(z.string()),
  prev: z.string(),
  hash: z.string(),
  batch: absent(z.object({ first_seq: z.number().int(), last_seq: z.number().int(), path: z.array(z.string()) })),
});

/** What a line says as null, or not at all, an entry lacks. */
function absent<T extends z.ZodType>(type: T) {
  return type.nullish().transform((value) => value ?? undefined);
}

/** @throws UsageError that names the line that is none of an export */
function readLines(text: string): ProvenEntry[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, n) => {
      try {
        return exported.parse(JSON.parse(line)) as ProvenEntry;
      } catch {
        throw new UsageError(`line ${n + 1} is no entry of an export in ndjson`);
      }
    });
}

async function verifyLines(log: AuditLog, tenant: string, lines: readonly ProvenEntry[]): Promise<number> {
  let code = 0;
  const fail = (message: string) => {
    code = 1;
    process.stderr.write(`${message}\n`);
  };
  for (const line of lines) {
    if (line.tenant_id !== tenant) fail(`entry ${line.seq} is of another tenant`);
    else if (!log.seals.holdsAlone(line)) fail(`entry ${line.seq} of the export was changed`);
    else {
      const stored = await log.prove(tenant, line.seq);
      if (stored?.holds && stored.entry.hash === line.hash) continue;
      fail(`entry ${line.seq} of the export is genuine, and the log ${stored ? 'has another one in its place' : 'lacks it'}`);
    }
  }
  if (code === 0) process.stdout.write(`${lines.length} exported entries of ${tenant} hold\n`);
  return code;
}
