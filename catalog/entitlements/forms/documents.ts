import { holds } from '../../access/pattern.js';
import type { AccessRule } from '../../access/types.js';
import { documentTable } from '../../access/documents/table.js';
import { NotAPolicy, statementsOf, type Statement } from '../../cel/policy.js';
import { text } from '../../cel/read.js';
import { valuesAt } from '../../inventory.js';
import type { InventoryResource } from '../../resource.js';
import type { Chosen } from '../chosen.js';
import { PROPOSED, type ProposalForm, type Subject } from '../form.js';

/** What differs between the two providers whose rights are written in policy documents. */
interface Dialect {
  name: ProposalForm['name'];
  provider: 'aws' | 'alicloud';
  version: string;
  /** How a policy of one's own is written in the inventory: attached to a user or a role. */
  attached(holder: InventoryResource, document: string): InventoryResource[];
}

const policyAsset = (provider: string, resource_type: string, account_id: string | undefined, configuration: Record<string, unknown>) => ({
  resource_uid: `proposal:${resource_type}`,
  resource_type,
  provider,
  account_id,
  configuration,
});

const AWS: Dialect = {
  name: 'aws_policy',
  provider: 'aws',
  version: '2012-10-17',
  attached: ({ resource_uid, resource_type, account_id }, policy) => {
    const kind = resource_type === 'aws_iam_user' ? 'user' : 'role';
    return [policyAsset('aws', `aws_iam_${kind}_policy`, account_id, { [kind]: resource_uid, name: 'least-privilege', policy })];
  },
};
const ALICLOUD: Dialect = {
  name: 'alicloud_policy',
  provider: 'alicloud',
  version: '1',
  attached: ({ resource_uid, resource_type, account_id }, policy_document) => {
    const kind = resource_type === 'alicloud_ram_user' ? 'user' : 'role';
    return [
      policyAsset('alicloud', 'alicloud_ram_policy', account_id, { policy_name: 'proposal-least-privilege', policy_document }),
      policyAsset('alicloud', `alicloud_ram_${kind}_policy_attachment`, account_id, {
        [`${kind}_name`]: resource_uid,
        policy_name: 'proposal-least-privilege',
      }),
    ];
  },
};

/** Attributes of an identity that give it rights. */
const GIVING = ['inline_policy', 'managed_policy_arns', 'assume_role_policy', 'assume_role_policy_document', 'document'];

function documentForm({ name, provider, version, attached }: Dialect): ProposalForm {
  const table = documentTable(provider);
  const ofResources = new Set(
    table.parts.filter((part) => part.resource.length > 0 && part.identity === undefined).flatMap(({ type }) => type),
  );
  return {
    name,
    isOwn: ({ uid }, { assetOf }) => !ofResources.has(assetOf(uid)?.resource_type ?? ''),
    placeOf: (rule, resource) => (holds(rule.resources, resource) === true ? resource : undefined),
    documents(chosen, subject) {
      const statements = chosen.map((one) => statementOf(one, conditionOf(one.rule, subject, table.parts)));
      const denials = subject.held.denials
        .filter(({ uid }) => assetIsOwn(uid, subject))
        .flatMap((rule) => deniedBy(rule, subject, table.parts));
      return statements.length === 0 ? [] : [{ Version: version, Statement: [...statements, ...denials] }];
    },
    proof([document], _chosen, { asset }) {
      const { configuration, resource_uid } = asset;
      const own = Object.fromEntries(Object.entries(configuration).filter(([attribute]) => !GIVING.includes(attribute)));
      const named = ['name', 'role_name', 'id'].flatMap((key) =>
        text(configuration[key]) === undefined ? [] : [[key, `${text(configuration[key])}${PROPOSED}`] as const],
      );
      const arn = text(configuration['arn']);
      const clone: InventoryResource = {
        ...asset,
        resource_uid: `${resource_uid}${PROPOSED}`,
        resource_name: undefined,
        configuration: { ...own, ...Object.fromEntries(named), ...(arn !== undefined && { arn: `${arn}${PROPOSED}` }) },
      };
      return [clone, ...(document === undefined ? [] : attached(clone, JSON.stringify(document)))];
    },
  };
}

/** Policies of the organization and boundaries stay where they are; what the identity's own policies forbid goes along. */
const assetIsOwn = (uid: string, { assetOf, asset, held }: Subject): boolean =>
  uid === asset.resource_uid || held.allows.some((rule) => rule.uid === uid) || /_policy$/.test(assetOf(uid)?.resource_type ?? '');

function statementOf({ rights, resources, not_resources }: Chosen, condition: object | undefined): Record<string, unknown> {
  return {
    Effect: 'Allow',
    Action: [...rights].sort(),
    ...(not_resources.length > 0 ? { NotResource: not_resources } : { Resource: resources }),
    ...(condition !== undefined && { Condition: condition }),
  };
}

type Parts = ReturnType<typeof documentTable>['parts'];

/** A statement as its policy writes it; undefined for what is written nowhere, as the provider's own policies are. */
function writtenAs(rule: AccessRule, { assetOf }: Subject, parts: Parts): Statement | undefined {
  const asset = assetOf(rule.uid);
  if (asset === undefined) return undefined;
  const same = (patterns: readonly (string | null)[], written: readonly (string | undefined)[]) =>
    patterns.length === written.length &&
    patterns.every((pattern, n) => pattern === null || written[n] === undefined || pattern === written[n]);
  for (const part of parts) {
    if (!part.type.includes(asset.resource_type)) continue;
    for (const path of part.documents)
      for (const value of valuesAt(asset.configuration, path.split('.'))) {
        const found = statements(value).find(
          (statement, n) =>
            (statement.sid ?? `${path}[${n}]`) === rule.label &&
            statement.effect.toLowerCase() === rule.effect &&
            (statement.not_actions.length > 0
              ? same(rule.actions.exclude, statement.not_actions)
              : same(rule.actions.include, statement.actions)),
        );
        if (found !== undefined) return found;
      }
  }
  return undefined;
}

function statements(document: unknown): Statement[] {
  try {
    return statementsOf(document);
  } catch (error) {
    if (error instanceof NotAPolicy) return [];
    throw error;
  }
}

/** The conditions of a statement as policies write them; undefined for none. */
function conditionOf(rule: AccessRule, subject: Subject, parts: Parts): Record<string, Record<string, string[]>> | undefined {
  const conditions = writtenAs(rule, subject, parts)?.conditions ?? [];
  if (conditions.length === 0) return undefined;
  const written: Record<string, Record<string, string[]>> = {};
  for (const { operator, key, values } of conditions)
    written[operator] = { ...written[operator], [key]: values.filter((value) => value !== undefined) };
  return written;
}

function deniedBy(rule: AccessRule, subject: Subject, parts: Parts): Record<string, unknown>[] {
  const statement = writtenAs(rule, subject, parts);
  if (statement === undefined) return [];
  const known = (texts: readonly (string | undefined)[]): string[] => texts.filter((one) => one !== undefined);
  const condition = conditionOf(rule, subject, parts);
  return [
    {
      Effect: 'Deny',
      ...(statement.not_actions.length > 0 ? { NotAction: known(statement.not_actions) } : { Action: known(statement.actions) }),
      ...(statement.not_resources.length > 0 ? { NotResource: known(statement.not_resources) } : { Resource: known(statement.resources) }),
      ...(condition !== undefined && { Condition: condition }),
    },
  ];
}

export const awsForm = documentForm(AWS);
export const alicloudForm = documentForm(ALICLOUD);
