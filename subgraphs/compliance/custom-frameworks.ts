import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { loadCatalog } from '../../catalog/catalog.js';
import type { AuditAction } from '../../kit/audit/entry.js';
import { readRules } from '../../kit/read/rules.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { TENANT_RULE_PREFIX } from '../../kit/engine/tenant-rules.js';
import { conflict, invalid, notFound, violationsOf } from '../../kit/base/errors.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { isCatalogFramework } from './frameworks.js';
import { customFrameworks, type CustomFrameworkRow } from './records.js';

/** A framework of the tenant's own, as it is made or imported. */
export interface CustomFrameworkInput {
  framework_id?: string | null;
  name: string;
  version?: string | null;
  description?: string | null;
  controls: { control_id: string; section?: string | null; title: string; rule_ids?: string[] | null }[];
}

const text = (most: number) => z.string().trim().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);
const definition = z.object({
  name: text(200),
  version: text(50).nullish(),
  description: text(4_000).nullish(),
  controls: z
    .array(
      z.object({
        control_id: text(100),
        section: z.string().trim().max(300).nullish(),
        title: text(500),
        rule_ids: z.array(text(300)).max(5_000).nullish(),
      }),
    )
    .min(1, 'name at least one control')
    .max(2_000, 'at most 2000 controls are allowed'),
});

/** Makes a framework of the tenant's own. @throws VALIDATION_ERROR for unknown rules; CONFLICT for an id that is taken */
export async function createFramework(context: EngineContext, input: CustomFrameworkInput) {
  const fields = await checked(context, input);
  const framework_id = input.framework_id ?? `custom_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  if (!/^[a-z0-9][a-z0-9_]{0,99}$/.test(framework_id))
    throw invalid([{ path: 'framework_id', message: 'must be 1 to 100 of a-z 0-9 _, beginning with a letter or digit' }]);
  if (isCatalogFramework(framework_id)) throw conflict(`${framework_id} is a framework of the catalog`);
  const rows = context.collection(customFrameworks);
  return context.transaction(async (transaction) => {
    if (await rows.findOne({ framework_id }, { transaction })) throw conflict(`there is, or was, a framework ${framework_id}`);
    return insertRevision(context, transaction, framework_id, 1, fields, 'framework.create');
  });
}

/** Replaces a framework; the revision before it stays for past reports. @throws NOT_FOUND for one that the tenant does not have */
export async function replaceFramework(context: EngineContext, frameworkId: string, input: CustomFrameworkInput) {
  const rows = context.collection(customFrameworks);
  if (!(await rows.findOne({ framework_id: frameworkId, current: true }))) throw notFound('Framework');
  const fields = await checked(context, input);
  return context.transaction(async (transaction) => {
    const current = await rows.findOne({ framework_id: frameworkId, current: true }, { transaction });
    if (!current) throw notFound('Framework');
    await rows.update({ _id: current._id }, { $set: { current: false } }, { transaction });
    return insertRevision(context, transaction, frameworkId, current.revision + 1, fields, 'framework.update');
  });
}

/** Retires a framework; its revisions and scores stay. @throws NOT_FOUND for one that the tenant does not have */
export async function retireFramework(context: EngineContext, frameworkId: string): Promise<true> {
  const rows = context.collection(customFrameworks);
  await context.transaction(async (transaction) => {
    const current = await rows.findOne({ framework_id: frameworkId, current: true }, { transaction });
    if (!current) throw notFound('Framework');
    const retired_at = context.services.clock.now();
    await rows.update({ _id: current._id }, { $set: { current: false, retired_at } }, { transaction });
    await audit(context, transaction, 'framework.retire', current);
  });
  return true;
}

type Definition = Pick<CustomFrameworkRow, 'name' | 'version' | 'description' | 'controls'>;

async function checked(context: EngineContext, input: CustomFrameworkInput): Promise<Definition> {
  const parsed = definition.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { name, version, description, controls } = parsed.data;
  const violations = controls.flatMap(({ control_id }, i) =>
    controls.findIndex((other) => other.control_id === control_id) < i
      ? [{ path: `controls.${i}.control_id`, message: `${control_id} stands twice` }]
      : [],
  );
  const known = await knownRules(context, new Set(controls.flatMap(({ rule_ids }) => rule_ids ?? [])));
  for (const [i, { rule_ids }] of controls.entries()) {
    for (const [j, id] of (rule_ids ?? []).entries())
      if (!known.has(id)) violations.push({ path: `controls.${i}.rule_ids.${j}`, message: 'there is no such rule' });
  }
  if (violations.length > 0) throw invalid(violations.slice(0, 100));
  return {
    name,
    version: version ?? '-',
    description: description ?? null,
    controls: controls.map(({ control_id, section, title, rule_ids }) => ({
      control_id,
      section: section ?? '',
      title,
      rule_ids: [...new Set(rule_ids ?? [])],
    })),
  };
}

let catalogIds: ReadonlySet<string> | undefined;

/** Those of the ids that are rules of the catalog or the tenant's own. */
async function knownRules(context: EngineContext, ids: ReadonlySet<string>): Promise<Set<string>> {
  catalogIds ??= new Set(loadCatalog().rules.map(({ rule_id }) => rule_id));
  const known = new Set([...ids].filter((id) => catalogIds!.has(id)));
  const own = [...ids].filter((id) => !known.has(id) && id.startsWith(TENANT_RULE_PREFIX));
  for (const rule of await readRules(context, own)) if (rule?.enabled) known.add(rule.rule_id);
  return known;
}

async function insertRevision(
  context: EngineContext,
  transaction: TransactionOf,
  framework_id: string,
  revision: number,
  fields: Definition,
  action: AuditAction,
) {
  const { tenant_id, email } = context.auth;
  const row: CustomFrameworkRow = {
    _id: `${tenant_id}|${framework_id}|${revision}`,
    tenant_id,
    framework_id,
    revision,
    current: true,
    ...fields,
    created_by: email,
    created_at: context.services.clock.now(),
    retired_at: null,
  };
  await context.collection(customFrameworks).insert(row, { transaction });
  await audit(context, transaction, action, row);
  return row;
}

const audit = (context: EngineContext, transaction: TransactionOf, action: AuditAction, row: CustomFrameworkRow) =>
  context.audit(transaction, {
    action,
    actor_email: context.auth.email,
    target: `framework:${row.framework_id}`,
    result: 'success',
    detail: { revision: row.revision, name: row.name, controls: row.controls.length },
  });
