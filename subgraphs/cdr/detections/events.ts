import type { EngineContext } from '../../../kit/engine/context.js';
import { momentOf } from '../../../kit/findings/moment.js';
import { findingRowId, findings, type FindingRow } from '../../../kit/findings/row.js';
import { pageWindow, toPage, type Page, type PageArguments, type PageWindow } from '../../../kit/store/paging.js';
import type { Filter } from '../../../kit/store/query.js';
import { cloudEvents, tenantPrefix, timeText, type CloudEventRow } from '../events/records.js';
import { cdrDetectionEvents, eventsOfDetection } from './records.js';

/** The events behind a detection, newest first; null when the tenant has no detection of this id. */
export async function eventsOf(
  context: EngineContext,
  { id, ...args }: PageArguments & { id: string },
): Promise<Page<CloudEventRow> | null> {
  const window = pageWindow(args);
  const { tenant_id } = context.auth;
  const fields = ['evidence', 'resource_uid', 'provider', 'account_id'] as const;
  const finding = await context.collection(findings).findOne({ _id: findingRowId(tenant_id, context.engine, id) }, { fields });
  if (!finding) return null;
  const links = context.collection(cdrDetectionEvents);
  const own = eventsOfDetection(tenant_id, id);
  const condition = { _id: { $gte: own, $lt: `${own}~` } };
  const [rows, total] = await Promise.all([
    links.find(condition, { sort: { _id: -1 }, skip: window.skip, limit: window.limit, fields: ['_id'] }),
    links.count(condition),
  ]);
  if (total === 0) return aroundFinding(context, finding, window);
  const ids = rows.map(({ _id }) => `${tenantPrefix(tenant_id)}${_id.slice(own.length)}`);
  return toPage(await context.collection(cloudEvents).find({ _id: { $in: ids } }, { sort: { _id: -1 } }), total, window);
}

type Told = Pick<FindingRow, 'evidence' | 'resource_uid' | 'provider' | 'account_id'>;

/** Of what another product has detected, what the actor that it names did in the time that it names. */
async function aroundFinding(
  context: EngineContext,
  { evidence, resource_uid, provider, account_id }: Told,
  window: PageWindow,
): Promise<Page<CloudEventRow>> {
  const first = momentOf(evidence['first_observed_at']);
  const last = momentOf(evidence['last_observed_at']) ?? first;
  const begin = first ?? last;
  if (!begin || !last) return toPage<CloudEventRow>([], 0, window);
  const principal = typeof evidence['principal'] === 'string' ? evidence['principal'] : null;
  const prefix = tenantPrefix(context.auth.tenant_id);
  const condition: Filter = {
    _id: { $gte: `${prefix}${timeText(begin)}`, $lt: `${prefix}${timeText(last)}~` },
    actor: { $in: [...new Set([resource_uid, ...(principal === null ? [] : namesOf(principal, account_id))])] },
    provider,
  };
  const events = context.collection(cloudEvents);
  const [items, total] = await Promise.all([
    events.find(condition, { sort: { _id: -1 }, skip: window.skip, limit: window.limit }),
    events.count(condition),
  ]);
  return toPage(items, total, window);
}

/** What an event may call somebody whom another product names: AWS's products name users and roles without their account. */
const namesOf = (name: string, account: string | null): string[] =>
  account === null ? [name] : [name, `arn:aws:iam::${account}:user/${name}`, `arn:aws:iam::${account}:role/${name}`];
