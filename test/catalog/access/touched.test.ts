import { accountsTouchedBy } from '../../../catalog/access/touched.js';

const touched = (provider: string, resource_type: string, account_id: string | undefined, configuration: Record<string, unknown> = {}) =>
  accountsTouchedBy({ provider, resource_type, account_id, configuration, resource_uid: 'one' });

it.each([
  ['a bucket, its account', 'aws', 'aws_s3_bucket', ['a']],
  ['a policy of the organization, all', 'aws', 'aws_organizations_policy', null],
  ['a group of the directory, all', 'azure', 'azuread_group', null],
  ['an assignment of a role, all', 'azure', 'azurerm_role_assignment', null],
  ['a store, its subscription', 'azure', 'azurerm_storage_account', ['a']],
  ['a binding, all', 'gcp', 'google_storage_bucket_iam_member', null],
  ['a folder, all', 'gcp', 'google_folder', null],
  ['a role of a cluster, the cluster', 'k8s', 'kubernetes_cluster_role', ['a']],
  ['a statement of a tenancy, the tenancy', 'oci', 'oci_identity_policy', ['a']],
  ['what no edge is made of, none', 'aws', 'aws_route_table', []],
])('%s', (_, provider, type, accounts) => {
  expect(touched(provider, type, 'a')).toEqual(accounts);
});

it('what lies in another project than it was told in touches both, and what has no account all', () => {
  expect(touched('gcp', 'google_storage_bucket', 'a', { project: 'b' })).toEqual(['a', 'b']);
  expect(touched('aws', 'aws_s3_bucket', undefined)).toBeNull();
});
