import { escalations } from '../../../catalog/access/escalations.js';
import { accessOf } from '../../../catalog/access/identity.js';
import { AccessModel } from '../../../catalog/access/model.js';
import type { InventoryResource } from '../../../catalog/resource.js';

/** How many ways each provider has at least. */
const LEAST = { aws: 40, azure: 15, gcp: 15, k8s: 12, oci: 5, alicloud: 5, ibm: 5 };

const ACCOUNT = 'ocid1.tenancy.oc1..one';
const asset = (
  provider: string,
  resource_uid: string,
  resource_type: string,
  configuration: Record<string, unknown>,
): InventoryResource => ({
  ...{ provider, resource_uid, resource_type, account_id: ACCOUNT },
  configuration: { name: resource_uid, ...configuration },
});

/** Somebody who is given exactly these actions on everything, and an identity that may be passed. */
const GIVEN: Readonly<Record<string, (actions: readonly string[], trusts: string | undefined) => InventoryResource[]>> = {
  aws: (actions, trusts) => [
    asset('aws', 'who', 'aws_iam_user', {}),
    asset('aws', 'p', 'aws_iam_user_policy', { user: 'who', policy: { Statement: { Effect: 'Allow', Action: actions, Resource: '*' } } }),
    asset('aws', 'other', 'aws_iam_role', {
      assume_role_policy: {
        Statement: { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: trusts ?? 'none.amazonaws.com' } },
      },
    }),
  ],
  alicloud: (actions, trusts) => [
    asset('alicloud', 'who', 'alicloud_ram_user', {}),
    asset('alicloud', 'p', 'alicloud_ram_policy', {
      policy_name: 'p',
      document: { Statement: { Effect: 'Allow', Action: actions, Resource: '*' } },
    }),
    asset('alicloud', 'a', 'alicloud_ram_user_policy_attachment', { user_name: 'who', policy_name: 'p' }),
    asset('alicloud', 'other', 'alicloud_ram_role', {
      document: { Statement: { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: trusts ?? 'none.aliyuncs.com' } } },
    }),
  ],
  azure: (actions) => [
    asset('azure', 'who', 'azurerm_user_assigned_identity', { principal_id: 'who-id' }),
    asset('azure', 'r', 'azurerm_role_definition', {
      name: 'own',
      permissions: [
        {
          actions: actions.filter((action) => !action.startsWith('data:')),
          data_actions: actions.filter((action) => action.startsWith('data:')).map((action) => action.slice('data:'.length)),
        },
      ],
    }),
    asset('azure', 'a', 'azurerm_role_assignment', { scope: '/subscriptions/one', role_definition_name: 'own', principal_id: 'who-id' }),
  ],
  gcp: (actions) => [
    asset('gcp', 'who', 'google_service_account', { email: 'who@one.iam.gserviceaccount.com' }),
    asset('gcp', 'other', 'google_service_account', { email: 'other@one.iam.gserviceaccount.com', project: 'one' }),
    asset('gcp', 'r', 'google_project_iam_custom_role', { project: 'one', role_id: 'own', permissions: actions }),
    asset('gcp', 'b', 'google_project_iam_member', {
      project: 'one',
      role: 'projects/one/roles/own',
      member: 'serviceAccount:who@one.iam.gserviceaccount.com',
    }),
  ],
  k8s: (actions) => [
    asset('k8s', 'who', 'kubernetes_service_account', { metadata: [{ name: 'who', namespace: 'n' }] }),
    asset('k8s', 'r', 'kubernetes_cluster_role', {
      metadata: [{ name: 'own' }],
      rule: actions.map((action) => {
        const [, verb, group, kind] = /^([a-z]+):([^/]+)\/(.+)$/.exec(action)!;
        return { api_groups: [group === 'core' ? '' : group], resources: [kind], verbs: [verb] };
      }),
    }),
    asset('k8s', 'b', 'kubernetes_cluster_role_binding', {
      metadata: [{ name: 'b' }],
      role_ref: [{ kind: 'ClusterRole', name: 'own' }],
      subject: [{ kind: 'ServiceAccount', name: 'who', namespace: 'n' }],
    }),
  ],
  oci: (actions) => [
    asset('oci', 'who', 'oci_identity_group', { id: 'ocid1.group.oc1..who' }),
    asset('oci', 'p', 'oci_identity_policy', {
      statements: actions.map((action) => `Allow group who to ${action.replace(':', ' ')} in tenancy`),
    }),
  ],
  ibm: (actions) => [
    asset('ibm', 'who', 'ibm_iam_service_id', { iam_id: 'iam-ServiceId-who' }),
    ...actions.map((action, n) => {
      const [service, role = ''] = action.split(':');
      const name = role === 'user api key creator' ? 'User API key creator' : role[0]!.toUpperCase() + role.slice(1);
      return asset('ibm', `p${n}`, 'ibm_iam_service_policy', { iam_id: 'iam-ServiceId-who', roles: [name], resources: [{ service }] });
    }),
  ],
};

describe.each(Object.entries(LEAST))('ways to more rights in %s', (provider, least) => {
  const known = escalations().get(provider)!;
  const found = (actions: readonly string[], trusts?: string): string[] =>
    accessOf(new AccessModel(GIVEN[provider]!(actions, trusts)), provider, 'who').escalations.map(({ id }) => id);

  it(`are at least ${least}, each once`, () => {
    expect(known.length).toBeGreaterThanOrEqual(least);
    expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
  });

  it.each(known.map((one) => [one.id, one] as const))(
    '%s is open to who has what it needs, and to nobody who lacks a part of it',
    (id, { needs, passes }) => {
      expect(found(needs, passes?.trusts)).toContain(id);
      for (const missing of needs) expect(found(needs.filter((need) => need !== missing))).not.toContain(id);
    },
  );
});
