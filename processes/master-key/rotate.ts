import { AuditLog } from '../../kit/audit/audit.js';
import { auditEpochs } from '../../kit/audit/records.js';
import { auditHeads } from '../../kit/audit/records.js';
import { AuditSeals } from '../../kit/audit/seals.js';
import { auditSegments } from '../../kit/audit/segments.js';
import { SYSTEM_ACTOR } from '../../kit/base/auth-context.js';
import type { Clock } from '../../kit/base/clock.js';
import type { Database } from '../../kit/store/database.js';
import { conflict } from '../../kit/base/errors.js';
import { signingKeys } from '../../kit/keys/key-ring.js';
import type { MasterKey } from '../../kit/keys/master-key.js';
import { keepKeys, masterKeys, openKeptKeys } from '../../kit/keys/master-key-records.js';
import { seal, unseal } from '../../kit/keys/seal.js';
import { SEALED, type SealedCollection } from './sealed-fields.js';

/** What a rotation has done. */
export interface Rotated {
  /** Texts that are sealed under the new key, those of an earlier try included. */
  readonly resealed: number;
  /** Rows whose text opens under neither key: it could not be used before either. */
  readonly unreadable: readonly string[];
  /** Tenants whose audit log did not hold before; it is left as it is. */
  readonly brokenLogs: readonly string[];
}

/**
 * Puts `next` in the place of `old` as the deployment's master key: what is sealed is sealed anew; audit logs go on under the new key, and what
 * they hold stays verifiable under what is kept of the old one. No other process may be at work meanwhile. Each step may be repeated: after a
 * kill the same call goes on, and no process starts before it has ended.
 * @throws PalisadeError CONFLICT when the database is not under `old`, or a rotation to another key was begun
 */
export async function rotateMasterKey(
  { database, clock }: { database: Database; clock: Clock },
  old: MasterKey,
  next: MasterKey,
): Promise<Rotated> {
  await begin(database, clock, old, next);
  const former = await readFormer(database, old, next);
  const keys = { old: { ...old, former }, next: { ...next, former: [...former, { fingerprint: old.fingerprint, derive: old.derive }] } };
  const collections = [...new Set(Object.values(SEALED).flat())];
  const rows = [];
  for (const sealed of collections) rows.push(await resealRows(database, sealed, old, next));
  const brokenLogs = await resealLogs({ database, clock }, keys.old, keys.next);
  await database.transaction(async (transaction) => {
    const states = database.system(masterKeys);
    await states.update({ _id: old.fingerprint }, { $set: { state: 'former' } }, { transaction });
    await states.update({ _id: next.fingerprint }, { $set: { state: 'current' } }, { transaction });
  });
  return {
    resealed: rows.reduce((sum, { count }) => sum + count, 0),
    unreadable: rows.flatMap(({ unreadable }) => unreadable),
    brokenLogs,
  };
}

/** Notes that the rotation is under way, and what of the old key is kept. */
async function begin(database: Database, clock: Clock, old: MasterKey, next: MasterKey): Promise<void> {
  if (old.fingerprint === next.fingerprint) throw conflict('The new secret is the present one');
  const states = database.system(masterKeys);
  const rows = await states.find({});
  const under = rows.find(({ state }) => state === 'next');
  if (under && under._id !== next.fingerprint) throw conflict(`A rotation to the key ${under._id} was begun: finish it with that secret`);
  if (rows.some(({ _id, state }) => _id === next.fingerprint && state === 'former')) throw conflict('The new secret was used before');
  const current = rows.find(({ state }) => state === 'current');
  if (current?._id === next.fingerprint) return;
  if (current && current._id !== old.fingerprint) throw conflict(`The database is under the key ${current._id}, not ${old.fingerprint}`);
  if (!current) await assertIsUnder(database, old);
  const [kept, created_at] = [keepKeys(old, next), clock.now()];
  await database.transaction(async (transaction) => {
    const newest = { $set: { state: 'next', kept: null }, $setOnInsert: { created_at: new Date(created_at.getTime() + 1) } };
    await states.update({ _id: next.fingerprint }, newest, { upsert: true, transaction });
    const replaced = { $set: { state: 'current', kept }, $setOnInsert: { created_at } };
    await states.update({ _id: old.fingerprint }, replaced, { upsert: true, transaction });
  });
}

/** Before the first rotation the store does not name its key; its signing keys tell. */
export async function assertIsUnder(database: Database, key: MasterKey): Promise<void> {
  const rows = await database.system(signingKeys).find({ private_key: { $ne: null } });
  for (const { _id, purpose, private_key } of rows)
    if (open(key, `signing-keys/${purpose}`, _id, private_key!) === null)
      throw conflict('The data is under another master key than the present secret');
}

/** The keys before `old`, whichever of the two keys what is kept of them is sealed under by now. */
async function readFormer(database: Database, old: MasterKey, next: MasterKey) {
  const rows = await database.system(masterKeys).find({ kept: { $ne: null } }, { sort: { created_at: 1 } });
  return rows
    .filter(({ _id }) => _id !== old.fingerprint)
    .map(({ _id, kept }) => openKeptKeys(open(next, 'former-keys', _id, kept!) === null ? old : next, _id, kept!));
}

function open(key: MasterKey, use: Parameters<MasterKey['derive']>[0], owner: string, text: string): Buffer | null {
  try {
    return unseal(key.derive(use), owner, text);
  } catch {
    return null;
  }
}

async function resealRows(database: Database, { collection, texts }: SealedCollection, old: MasterKey, next: MasterKey) {
  const rows = database.system(collection);
  const unreadable: string[] = [];
  let count = 0;
  for await (const row of rows.scan({}, { sort: { _id: 1 }, batchSize: 500 })) {
    const changes: Record<string, string> = {};
    for (const { path, use, owner, text } of texts(row)) {
      if (!text) continue;
      const isDone = open(next, use, owner, text) !== null;
      const secret = isDone ? null : open(old, use, owner, text);
      if (!isDone && secret === null) unreadable.push(`${collection.name} ${row._id}`);
      else count++;
      if (secret !== null) changes[path] = seal(next.derive(use), owner, secret);
    }
    if (Object.keys(changes).length > 0) await rows.update({ _id: row._id }, { $set: changes });
  }
  return { count, unreadable };
}

/** Ends every tenant's epoch, in a transaction a tenant. @returns the tenants whose log did not hold */
async function resealLogs(services: { database: Database; clock: Clock }, old: MasterKey, next: MasterKey): Promise<string[]> {
  const seals = { old: new AuditSeals(old), next: new AuditSeals(next) };
  const log = new AuditLog(services.database, next);
  const broken: string[] = [];
  for await (const { tenant_id } of services.database.system(auditHeads).scan({}, { fields: ['tenant_id'], sort: { _id: 1 } })) {
    const held = await resealLog(services, tenant_id, old.fingerprint, seals, log, next.fingerprint);
    if (!held) broken.push(tenant_id);
  }
  return broken;
}

async function resealLog(
  { database, clock }: { database: Database; clock: Clock },
  tenantId: string,
  from: string,
  seals: { old: AuditSeals; next: AuditSeals },
  log: AuditLog,
  to: string,
): Promise<boolean> {
  const tenant = database.tenant(tenantId);
  return database.transaction(async (transaction) => {
    const head = await tenant.collection(auditHeads).findOne({}, { transaction });
    if (!head || seals.next.holds(head.seal, seals.next.head(head))) return true;
    if (!seals.old.holds(head.seal, seals.old.head(head))) return false;
    const epochs = tenant.collection(auditEpochs);
    for (const epoch of await epochs.find({}, { transaction }))
      if (seals.old.holds(epoch.seal, seals.old.epoch(epoch)))
        await epochs.update({ _id: epoch._id }, { $set: { seal: seals.next.epoch(epoch) } }, { transaction });
    const ended = { tenant_id: tenantId, key: from, last_seq: head.seq, hash: head.hash };
    await epochs.insert({ _id: `${tenantId}|${from}`, ...ended, seal: seals.next.epoch(ended) }, { transaction });
    const segments = tenant.collection(auditSegments);
    for (const segment of await segments.find({}, { transaction }))
      if (seals.old.holds(segment.seal, seals.old.segment(segment)))
        await segments.update({ _id: segment._id }, { $set: { seal: seals.next.segment(segment) } }, { transaction });
    await tenant.collection(auditHeads).update({}, { $set: { seal: seals.next.head(head) } }, { transaction });
    const entry = { action: 'master_key.rotate', actor_email: SYSTEM_ACTOR, target: `tenant:${tenantId}`, result: 'success' } as const;
    await log.append(transaction, tenantId, clock.now(), [{ ...entry, detail: { from, to, last_seq: head.seq, hash: head.hash } }]);
    return true;
  });
}
