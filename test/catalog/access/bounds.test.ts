import { accessEdges } from '../../../catalog/access/edges/derive.js';
import { MOST_NAMED } from '../../../catalog/access/edges/holdings.js';
import { AccessModel } from '../../../catalog/access/model.js';
import type { InventoryResource } from '../../../catalog/resource.js';

const asset = (resource_uid: string, resource_type: string, configuration: Record<string, unknown>): InventoryResource => ({
  ...{ resource_uid, resource_type, provider: 'aws', account_id: '111122223333', resource_name: undefined },
  configuration: { name: resource_uid, ...configuration },
});
const edgesOf = (assets: readonly InventoryResource[]) => [...accessEdges(new AccessModel(assets), 'aws')].flatMap(({ edges }) => edges);

it('of a policy that names very many resources a bounded number makes edges, always the same', () => {
  const buckets = Array.from({ length: MOST_NAMED + 500 }, (_, n) => asset(`bucket-${n}`, 'aws_s3_bucket', { bucket: `bucket-${n}` }));
  const Resource = buckets.map((_, n) => `arn:aws:s3:::bucket-${n}/*`);
  const policy = asset('own', 'aws_iam_user_policy', {
    user: 'ann',
    policy: { Statement: { Effect: 'Allow', Action: 's3:GetObject', Resource } },
  });
  const estate = [asset('ann', 'aws_iam_user', {}), policy, ...buckets];
  const edges = edgesOf(estate);
  expect(edges.filter(({ to }) => to.startsWith('bucket-')).length).toBe(MOST_NAMED);
  expect(edgesOf([...estate].reverse())).toEqual(edges);
});
