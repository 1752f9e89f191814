import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { findings } from '../../kit/findings/row.js';
import { migrate, migrationRows } from '../../kit/store/migration.js';
import { schemaRows } from '../../kit/store/schema-epoch.js';
import { sharedVulnerabilities } from '../../processes/migrations/shared-vulnerabilities.js';
import { feedWorld, openFeedDatabase, type Reported } from '../feeds/feed-world.js';

const evidence = {
  package_name: 'openssl',
  installed_version: '1.1.1n-0+deb11u4',
  purl: 'pkg:deb/debian/openssl@1.1.1n-0%2Bdeb11u4?arch=amd64',
};
const place = { resource_uid: 'app:1.0', severity: 'high' } as const;
/** As scanners told it in the release before, each in its own way. */
const BEFORE: readonly Reported[] = [
  { ...place, rule_id: 'CVE-2023-2650', discriminator: 'openssl@1.1.1n-0+deb11u4@/lib/one', evidence },
  {
    ...place,
    rule_id: 'GHSA-35jh-r3h4-6jhm',
    discriminator: 'lodash@1.0',
    evidence: { package_name: 'lodash', installed_version: '1.0', package_type: 'npm', aliases: ['CVE-2021-23337'] },
  },
  {
    ...place,
    rule_id: 'CVE-2024-0001',
    discriminator: 'zlib@1.2',
    evidence: { package_name: 'zlib', installed_version: '1.2', packages: [{ name: 'zlib', release: '3', package_manager: 'DEBIAN' }] },
  },
  { ...place, rule_id: 'CVE-2024-0002', evidence: {} },
];
/** As every scanner tells it today. */
const TODAY: readonly Reported[] = [
  { ...BEFORE[0]!, discriminator: 'pkg:deb/openssl@1.1.1n-0+deb11u4' },
  { ...BEFORE[1]!, rule_id: 'CVE-2021-23337', discriminator: 'pkg:npm/lodash@1.0' },
  { ...BEFORE[2]!, discriminator: 'pkg:deb/zlib@1.2-3' },
  BEFORE[3]!,
].map((one) => ({ ...one, is_shared: true }));

it('vulnerabilities of the release before keep their ids when scanners call them otherwise', async () => {
  const database = await openFeedDatabase([migrationRows, schemaRows]);
  try {
    const world = feedWorld(database);
    await world.report(BEFORE);
    const ids = async () => (await world.own.collection(findings).find({ status: 'OPEN' })).map(({ finding_id }) => finding_id).sort();
    const before = await ids();
    await migrate(database, systemClock, createLogger('silent'), [sharedVulnerabilities]);
    await world.report(TODAY);
    await world.report(TODAY);
    expect(before).toHaveLength(4);
    expect(await ids()).toEqual(before);
    expect(await world.own.collection(findings).count({})).toBe(4);
  } finally {
    await database.drop();
    await database.close();
  }
});
