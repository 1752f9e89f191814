import { randomUUID } from 'node:crypto';
import type { AuditAction } from '../../../kit/audit/entry.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { conflict, invalid, notFound } from '../../../kit/base/errors.js';
import { readModel } from '../../../kit/read/read-model.js';
import { reportsToBucket } from '../../../kit/read/report-files.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { openCredentials, sealCredentials } from './credentials.js';
import { checkIntegration, mergeSettings, type IntegrationInput } from './input.js';
import { integrations, type IntegrationRow } from './records.js';
import { tryOut } from './try-out.js';

/** Integrations that a tenant may have. */
export const MAX_INTEGRATIONS = 50;

/** Kinds that post status back, signed with the hook_secret. */
const HOOKED: readonly IntegrationRow['kind'][] = ['jira', 'github', 'gitlab'];

/** An integration as it may be seen: its credentials are not. */
const view = ({ _id, kind, name, state, settings, created_by, created_at, updated_at }: IntegrationRow) => ({
  integration_id: _id,
  kind,
  name,
  state,
  settings,
  hook_path: HOOKED.includes(kind) ? `/gateway/hooks/${kind}/${_id}` : null,
  created_by,
  created_at,
  updated_at,
});
export type IntegrationView = ReturnType<typeof view>;

export async function listIntegrations(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(integrations);
  const [items, total] = await Promise.all([
    rows.find({}, { sort: { name: 1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count({}),
  ]);
  return toPage(items.map(view), total, window);
}

/** Tries an integration out and stores it. @throws PalisadeError VALIDATION_ERROR, and nothing is stored */
export async function createIntegration(context: EngineContext, input: IntegrationInput): Promise<IntegrationView> {
  const { auth, services } = context;
  const kind = input.kind!;
  const checked = checkIntegration(kind, input);
  const rows = context.collection(integrations);
  if ((await rows.count({})) >= MAX_INTEGRATIONS)
    throw invalid([{ path: 'input', message: `a tenant may have ${MAX_INTEGRATIONS} integrations` }]);
  const _id = randomUUID();
  await tryOut(services, kind, _id, checked as never);
  const now = services.clock.now();
  const row: IntegrationRow = {
    _id,
    tenant_id: auth.tenant_id,
    kind,
    name: checked.name,
    state: input.state ?? 'active',
    settings: checked.settings,
    credentials: sealCredentials(services.masterKey, _id, checked.credentials),
    created_by: auth.email,
    created_at: now,
    updated_at: now,
  };
  await context.transaction(async (transaction) => {
    await rows.insert(row, { transaction });
    await audit(context, transaction, 'integration.create', row);
  });
  return view(row);
}

/**
 * Changes an integration; other settings or credentials are tried out first. Credentials are replaced as a whole, and an address changes
 * together with them only, so that nobody sends what is stored to an address of their own.
 * @throws PalisadeError NOT_FOUND when the tenant has none of this id
 */
export async function updateIntegration(context: EngineContext, id: string, input: IntegrationInput): Promise<IntegrationView> {
  const { services } = context;
  const rows = context.collection(integrations);
  const before = await rows.findOne({ _id: id });
  if (!before) throw notFound('Integration');
  const change = {
    name: input.name ?? before.name,
    settings: mergeSettings(before.settings, input.settings),
    credentials: input.credentials ?? { ...openCredentials(services.masterKey, before) },
  };
  const checked = checkIntegration(before.kind, change);
  const urlOf = (settings: object) => ('url' in settings ? settings.url : null);
  if (!input.credentials && urlOf(checked.settings) !== urlOf(before.settings))
    throw invalid([{ path: 'credentials', message: 'is required with another address' }]);
  if (input.settings || input.credentials) await tryOut(services, before.kind, id, checked as never);
  const changed = {
    name: checked.name,
    settings: checked.settings,
    state: input.state ?? before.state,
    ...(input.credentials && { credentials: sealCredentials(services.masterKey, id, checked.credentials) }),
    updated_at: services.clock.now(),
  };
  return context.transaction(async (transaction) => {
    const after = await rows.findAndUpdate({ _id: id, updated_at: before.updated_at }, { $set: changed }, { transaction, returnNew: true });
    if (!after) throw conflict('The integration was changed meanwhile; read it again');
    const fields = (['name', 'state', 'settings', 'credentials'] as const).filter((field) => input[field] != null);
    await audit(context, transaction, 'integration.update', after, { fields });
    return view(after);
  });
}

/** Ids of the notification rules that send to an integration, at most 20. */
export type SendingRules = (context: EngineContext, integrationId: string, transaction: TransactionOf) => Promise<string[]>;

/** Removes an integration; tickets stay linked. @throws PalisadeError NOT_FOUND; CONFLICT while notification rules or reports send to it */
export async function removeIntegration(context: EngineContext, id: string, sendingRules: SendingRules): Promise<true> {
  const rows = context.collection(integrations);
  const known = await rows.findOne({ _id: id }, { fields: ['kind'] });
  // a report that is set at this moment tells at its next run that the integration is gone
  const reports = known?.kind === 's3' ? await readModel(context, reportsToBucket, { id }) : [];
  if (reports.length > 0) throw conflict('Files of reports go to this integration; change the reports first', { reports });
  await context.transaction(async (transaction) => {
    const row = await rows.findOne({ _id: id }, { transaction });
    if (!row) throw notFound('Integration');
    const rules = await sendingRules(context, id, transaction);
    if (rules.length > 0)
      throw conflict('Notification rules send to this integration; change or delete them first', { notification_rules: rules });
    await rows.remove({ _id: id }, { transaction });
    await audit(context, transaction, 'integration.delete', row);
  });
  return true;
}

const audit = (
  { auth, audit: append }: EngineContext,
  transaction: TransactionOf,
  action: AuditAction,
  { _id, kind, name }: IntegrationRow,
  more: Record<string, unknown> = {},
) =>
  append(transaction, {
    action,
    actor_email: auth.email,
    role: auth.role,
    ip_address: auth.ip_address,
    target: `integration:${_id}`,
    result: 'success',
    detail: { kind, name, ...more },
  });
