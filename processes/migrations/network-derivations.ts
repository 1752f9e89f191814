import type { Migration } from '../../kit/store/migration.js';

const FORMER = 'network_derivations';

/** How often exposures were derived is counted among the other derivations of a tenant. */
export const networkDerivations: Migration = {
  name: '2026-11-network-derivations',
  async run({ database }) {
    if ((await database.collectionNames()).includes(FORMER)) await database.dropCollection(FORMER);
  },
};
