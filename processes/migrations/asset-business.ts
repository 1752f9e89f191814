import { USUAL_TAGS } from '../../kit/engine/business-tags.js';
import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';
import { contextColumns, contextOfTags } from '../../subgraphs/di/business/context.js';
import { tagKeys } from '../../subgraphs/di/business/tag-keys.js';
import { assets } from '../../subgraphs/di/records.js';

/** Assets are listed by their tags, and by what these tell of the business; no tenant has tags of its own for that yet. */
export const assetsByBusiness: Migration = {
  name: '2026-11-assets-by-business',
  run: (migrating) =>
    walkRows(migrating, {
      rows: assets,
      fields: ['tags'],
      apart: ['tenant_id'],
      emptied: [],
      async each(rows, transaction) {
        const updates = rows.map(({ _id, tags }) => {
          const { $set } = contextColumns(contextOfTags(tags, USUAL_TAGS));
          return { _id, update: { $set: { ...$set, tag_keys: tagKeys(tags) } } };
        });
        await migrating.database.tenant(rows[0]!.tenant_id).collection(assets).bulkUpdate(updates, { transaction });
      },
    }),
};
