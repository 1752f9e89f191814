import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { providerOf } from '../../catalog/resource-name.js';
import { expressionFaults } from '../../catalog/tenant-expression.js';
import { SEVERITIES, type Provider, type Severity } from '../../schema/model.js';
import type { AuditAction } from '../../kit/audit/entry.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { conflict, invalid, notFound, type Violation, violationsOf } from '../../kit/base/errors.js';
import type { JobHandler } from '../../kit/engine/job.js';
import { allowancesOf, overAllowance } from '../../kit/base/quotas.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { POSTURE_ENGINES } from '../../kit/engine/rule-results.js';
import { TENANT_RULE_PREFIX, type TenantRule } from '../../kit/engine/tenant-rules.js';
import { customRuleRowId, customRules, type CustomRuleRow } from './records.js';
import { customView, type RuleView } from './rule.js';

/** What a tenant says of a rule of its own; a change leaves out what stays. */
export type CustomRuleInput = Partial<{
  rule_id: string | null;
  title: string | null;
  description: string | null;
  rationale: string | null;
  severity: Severity | null;
  engine: string | null;
  resource_types: string[] | null;
  expression: string | null;
  remediation: string | null;
  references: unknown;
  tags: string[] | null;
}>;

export const CLOSE_RULE = 'rules.close_findings';

const text = (most: number) => z.string().trim().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);
const definition = z.object({
  title: text(200),
  description: text(4_000).nullable(),
  rationale: text(4_000).nullable(),
  severity: z.enum(SEVERITIES),
  engine: z.enum(POSTURE_ENGINES, `must be one of ${POSTURE_ENGINES.join(', ')}`),
  resource_types: z
    .array(z.string().refine((type) => providerOf(type) !== undefined, 'must be a resource type of one of the seven providers'))
    .min(1, 'name at least one resource type')
    .max(50, 'at most 50 resource types are allowed'),
  expression: z.string(),
  remediation: text(4_000).nullable(),
  references: z.array(z.strictObject({ url: z.url({ protocol: /^https?$/ }), title: text(200).optional() })).max(20),
  tags: z.array(text(50)).max(20),
});
type Definition = z.infer<typeof definition>;

const idPattern = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** Makes a rule of the tenant's own. @throws VALIDATION_ERROR with the position in the expression; CONFLICT for an id that is taken */
export async function createCustomRule(context: EngineContext, input: CustomRuleInput): Promise<RuleView> {
  const fields = checkedDefinition({
    description: null,
    rationale: null,
    engine: 'check',
    remediation: null,
    references: [],
    tags: [],
    ...given(input),
  });
  const rule_id = ruleIdOf(input.rule_id, fields.title);
  const rows = context.collection(customRules);
  return context.transaction(async (transaction) => {
    if (await rows.findOne({ rule_id }, { transaction })) throw conflict(`there is, or was, a rule ${rule_id}`);
    assertRoomForRule(context, await rows.count({ current: true }, { transaction }));
    const row = await insertVersion(context, transaction, rule_id, 1, fields);
    await audit(context, transaction, 'rule.create', row);
    return customView(row);
  });
}

/** Stores a change as a new version; the versions before it stay. @throws NOT_FOUND for a rule that the tenant does not have */
export async function updateCustomRule(context: EngineContext, ruleId: string, input: CustomRuleInput): Promise<RuleView> {
  const { rule_id: _ignored, ...change } = input;
  const rows = context.collection(customRules);
  return context.transaction(async (transaction) => {
    const current = await rows.findOne({ rule_id: ruleId, current: true }, { transaction });
    if (!current) throw notFound('Rule');
    const fields = checkedDefinition({ ...definitionOf(current), ...given(change) });
    await rows.update({ _id: current._id }, { $set: { current: false } }, { transaction });
    const row = await insertVersion(context, transaction, ruleId, current.version + 1, fields);
    await audit(context, transaction, 'rule.update', row);
    return customView(row);
  });
}

/** Retires a rule: it is evaluated no more, and its findings close as RESOLVED. @throws NOT_FOUND for a rule that the tenant does not have */
export async function retireCustomRule(context: EngineContext, ruleId: string): Promise<true> {
  const rows = context.collection(customRules);
  await context.transaction(async (transaction) => {
    const current = await rows.findOne({ rule_id: ruleId, current: true }, { transaction });
    if (!current) throw notFound('Rule');
    const now = context.services.clock.now();
    await rows.update({ _id: current._id }, { $set: { current: false, retired_at: now } }, { transaction });
    await context.services.jobs.add(transaction, context.auth, CLOSE_RULE, { rule_id: ruleId, retired_at: now });
    await audit(context, transaction, 'rule.retire', current);
  });
  context.services.jobs.wake();
  return true;
}

/** Closes the findings of a retired rule, whichever engines its versions raised them in. */
export const closeFindingsJob: JobHandler = {
  async run({ context, payload, alive }) {
    const rule_id = String(payload['rule_id']);
    const versions = await context.collection(customRules).find({ rule_id });
    const { ingest } = context.services;
    const run = { scan_run_id: `retired:${rule_id}`, at: new Date(payload['retired_at'] as string), format: 'palisade' };
    for (const owner of new Set(versions.map(({ engine }) => engine))) {
      alive();
      await ingest.findings(context, owner).closeRule(run, rule_id);
    }
  },
  async giveUp({ context, payload }, reason) {
    context.services.logger.error({ rule_id: payload['rule_id'], reason }, 'the findings of a retired rule were not closed');
  },
};

/** The tenant's rules in force, as evaluation takes them. */
export async function customRulesInForce(context: EngineContext): Promise<TenantRule[]> {
  return context.collection(customRules).find({ current: true }, { sort: { rule_id: 1 } });
}

/** Checks a definition as a whole. @throws VALIDATION_ERROR with every violation, those of the expression with line and column */
export function checkedDefinition(fields: Record<string, unknown>): Definition & { provider: Provider } {
  const parsed = definition.safeParse(fields);
  const violations: (Violation & { line?: number; column?: number })[] = parsed.success ? [] : violationsOf(parsed.error);
  if (typeof fields['expression'] === 'string')
    violations.push(...expressionFaults(fields['expression']).map((fault) => ({ path: 'expression', ...fault })));
  if (violations.length > 0 || !parsed.success) throw invalid(violations);
  const providers = new Set(parsed.data.resource_types.map(providerOf));
  if (providers.size > 1) throw invalid([{ path: 'resource_types', message: 'must all be of one provider' }]);
  return { ...parsed.data, provider: [...providers][0]! };
}

/** What the input says: members that are not there, or null where null says nothing, are left out. */
const given = (input: CustomRuleInput): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([key, value]) => key !== 'rule_id' && value !== undefined && value !== null));

/** @throws PalisadeError VALIDATION_ERROR when the plan allows no rule more: each is asked about every resource of its types */
function assertRoomForRule({ services, auth: { plan } }: EngineContext, used: number): void {
  const allowed = allowancesOf(services.config, plan).custom_rules;
  if (used < allowed) return;
  const message = `the plan ${plan} allows ${allowed} rules of the tenant's own, and ${used} are in force`;
  throw overAllowance('rule_id', { message, plan, allowance: 'custom_rules', allowed, used });
}

function definitionOf(row: CustomRuleRow): Definition {
  const { title, description, rationale, severity, engine, resource_types, expression, remediation, references, tags } = row;
  return {
    title,
    description,
    rationale,
    severity,
    engine: engine as Definition['engine'],
    resource_types,
    expression,
    remediation,
    references,
    tags,
  };
}

function ruleIdOf(wanted: string | null | undefined, title: string): string {
  if (wanted == null) {
    const slug = title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60);
    return `${TENANT_RULE_PREFIX}${slug || 'rule'}-${randomUUID().slice(0, 8)}`;
  }
  const own = wanted.startsWith(TENANT_RULE_PREFIX) ? wanted.slice(TENANT_RULE_PREFIX.length) : wanted;
  if (!idPattern.test(own))
    throw invalid([{ path: 'rule_id', message: 'must be 1 to 100 of a-z 0-9 . _ -, beginning with a letter or digit' }]);
  return TENANT_RULE_PREFIX + own;
}

async function insertVersion(
  context: EngineContext,
  transaction: TransactionOf,
  rule_id: string,
  version: number,
  fields: Definition & { provider: Provider },
): Promise<CustomRuleRow> {
  const { tenant_id, email } = context.auth;
  const row: CustomRuleRow = {
    _id: customRuleRowId(tenant_id, rule_id, version),
    tenant_id,
    rule_id,
    version,
    current: true,
    ...fields,
    references: fields.references.map(({ url, title }) => ({ url, ...(title && { title }) })),
    created_by: email,
    created_at: context.services.clock.now(),
    retired_at: null,
  };
  await context.collection(customRules).insert(row, { transaction });
  return row;
}

const audit = (context: EngineContext, transaction: TransactionOf, action: AuditAction, { rule_id, version, title }: CustomRuleRow) =>
  context.audit(transaction, {
    action,
    actor_email: context.auth.email,
    target: `rule:${rule_id}`,
    result: 'success',
    detail: { version, title },
  });
