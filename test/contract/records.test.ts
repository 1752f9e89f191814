import { Kind, type FieldDefinitionNode, type TypeNode } from 'graphql';
import type { AnyCollection } from '../../kit/store/collection.js';
import type { Field } from '../../kit/store/fields.js';
import { memberships, tenants } from '../../accounts/records.js';
import { apiKeys } from '../../accounts/api-keys/records.js';
import { invites } from '../../accounts/invites.js';
import { supportAccesses } from '../../accounts/support-access.js';
import { engineDocument } from '../../kit/engine/schema.js';
import { auditLog } from '../../kit/audit/audit.js';
import { findings } from '../../kit/findings/row.js';
import { engines } from '../../subgraphs/index.js';
import { attestations } from '../../subgraphs/compliance/records.js';
import { assets } from '../../subgraphs/di/records.js';
import { integrations } from '../../subgraphs/events/integrations/records.js';
import { notificationRules } from '../../subgraphs/events/notifications/records.js';
import { deliveries, webhooks } from '../../subgraphs/events/webhooks/records.js';
import { rules, ruleSettings } from '../../subgraphs/rules/records.js';
import { scanRuns } from '../../subgraphs/scans/records.js';

/** Types of the graph that show a record, with the record and what they show beside its fields. A field that is neither is a mistake in one of them. */
const SHOWN: readonly (readonly [type: string, collection: AnyCollection, computed: readonly string[]])[] = [
  ['Tenant', tenants, ['removal_at', 'state', 'tenant_id']],
  ['User', memberships, ['mfa', 'name', 'state']],
  ['ApiKey', apiKeys, ['id', 'prefix', 'state']],
  ['Invite', invites, ['id', 'link']],
  ['SupportAccess', supportAccesses, ['id', 'state', 'tenant_id']],
  ['AuditLogEntry', auditLog, []],
  ['Finding', findings, ['asset', 'engine', 'rule']],
  ['Attestation', attestations, ['attestation_id', 'expired']],
  ['Asset', assets, ['business_context', 'gone_at']],
  ['Integration', integrations, ['hook_path', 'integration_id']],
  ['NotificationRule', notificationRules, ['last_delivery', 'matches']],
  ['Webhook', webhooks, ['health', 'previous_secret_until']],
  ['WebhookDelivery', deliveries, ['next_attempt_at', 'payload']],
  [
    'Rule',
    rules,
    [
      'attribute',
      'enabled',
      'expected',
      'expression',
      'family',
      'module',
      'parameters',
      'profiles',
      'resource_types',
      'subcategory',
      'version',
    ],
  ],
  ['RuleSettings', ruleSettings, ['effective_parameters', 'effective_severity']],
  ['ScanRun', scanRuns, []],
];

const definitions = engines.flatMap((engine) => engineDocument(engine).definitions);
const words = new Map(
  definitions.flatMap((node) => (node.kind === Kind.ENUM_TYPE_DEFINITION ? [[node.name.value, node.values ?? []] as const] : [])),
);
const KINDS: Readonly<Record<string, unknown>> = { ID: String, String, Int: Number, Float: Number, Boolean, DateTime: Date };

/** Of the engines that give a type, the one that gives most of it: others only name its key, or give the same. */
const fieldsOf = (type: string): readonly FieldDefinitionNode[] =>
  definitions
    .flatMap((node) => (node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === type ? [node.fields ?? []] : []))
    .reduce((most, one) => (one.length > most.length ? one : most), []);

/** What `stored` can hold and `shown` cannot give, or promises without need, in words; null where the one fits the other. */
const misfitOf = ({ type, directives }: FieldDefinitionNode, field: Field): string | null => {
  const isNonNull = type.kind === Kind.NON_NULL_TYPE || directives?.some(({ name }) => name.value === 'nonNullOverRest');
  if (!isNonNull && !field.isNullable && !field.isOptional) return 'rows always have one';
  return misfit(type, field);
};

function misfit(shown: TypeNode, { stored, isNullable, isOptional, words: held }: Field): string | null {
  if (shown.kind === Kind.NON_NULL_TYPE) {
    if (isNullable || isOptional) return 'rows may have none';
    return misfit(shown.type, { stored, isNullable, isOptional, words: held });
  }
  if (shown.kind === Kind.LIST_TYPE) {
    if (!Array.isArray(stored)) return 'rows have one value';
    const inner = shown.type.kind === Kind.NON_NULL_TYPE ? shown.type.type : shown.type;
    return misfit(inner, { stored: stored[0] as Field['stored'], isNullable: false, isOptional: false });
  }
  const name = shown.name.value;
  const known = words.get(name)?.map((value) => value.name.value);
  const missing = known && held?.filter((word) => !known.includes(word));
  if (missing?.length) return `${name} has no ${missing.join(', ')}`;
  const kind = known ? String : (KINDS[name] ?? Object);
  if (name === 'JSON' && Array.isArray(stored)) return null;
  return stored === kind ? null : `rows do not hold ${name}`;
}

test.each(SHOWN)('%s shows what its record holds', (type, { fields, name }, computed) => {
  const shown = fieldsOf(type);
  expect(shown).not.toEqual([]);
  const stored = shown.filter(({ name }) => name.value in fields && !computed.includes(name.value));
  const misfits = stored
    .map((field) => [`${type}.${field.name.value}`, misfitOf(field, fields[field.name.value]!)])
    .filter(([, why]) => why);
  expect(misfits).toEqual([]);
  const others = [...new Set(shown.map((field) => field.name.value))].filter((one) => !stored.some((field) => field.name.value === one));
  expect({ [name]: others.sort() }).toEqual({ [name]: [...computed].sort() });
});
