import type { IngestSinks } from '../../kit/engine/context.js';
import { inBatches } from '../../kit/engine/retention.js';
import { tagKey } from './business/tag-keys.js';
import { assetRowId, assets } from './records.js';

/** The tags of resources that the inventory knows, by resource_uid. */
export const findTags: IngestSinks['tagsOf'] = async ({ database }, tenantId, resourceUids) => {
  const ids = resourceUids.map((uid) => assetRowId(tenantId, uid));
  const rows = await database
    .tenant(tenantId)
    .collection(assets)
    .find({ _id: { $in: ids } }, { fields: ['resource_uid', 'tags'] });
  return new Map(rows.map(({ resource_uid, tags }) => [resource_uid, tags]));
};

/** The resources that have one of these tags. */
export const findTagged: IngestSinks['tagged'] = async function* ({ database }, tenantId, tags) {
  const rows = database.tenant(tenantId).collection(assets);
  for await (const batch of inBatches(rows.scan({ tag_keys: { $in: tags.map(tagKey) } }, { fields: ['resource_uid'] })))
    yield batch.map(({ resource_uid }) => resource_uid);
};
