import { packageIdentity } from '../../importers/normalize/purl.js';
import { vulnerabilityName } from '../../importers/normalize/package-vulnerability.js';
import { findingId, findings, type FindingRow } from '../../kit/findings/row.js';
import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';

const ENGINE = 'vulnerability';

type Told = Pick<FindingRow, 'finding_id' | 'rule_id' | 'resource_uid' | 'evidence'>;

/**
 * Vulnerabilities that scanners told apart each in its own way keep their ids, and are found by those that all scanners have for them from now on:
 * by CVE, package and artifact.
 */
export const sharedVulnerabilities: Migration = {
  name: '2026-11-shared-vulnerabilities',
  run: (migrating) =>
    walkRows(migrating, {
      rows: findings,
      fields: ['_id', 'finding_id', 'rule_id', 'resource_uid', 'evidence'],
      apart: ['tenant_id', 'engine'],
      emptied: [],
      async each(rows, transaction) {
        const { tenant_id, engine } = rows[0]!;
        if (engine !== ENGINE) return;
        const updates = rows.flatMap((row) => {
          const id = idToday(row);
          return id === undefined || id === row.finding_id ? [] : [{ _id: row._id, update: { $set: { also_ids: [id] } } }];
        });
        if (updates.length > 0)
          await migrating.database.tenant(tenant_id).engine(engine).collection(findings).bulkUpdate(updates, { transaction });
      },
    }),
};

/** The id that a scanner of today gives the finding; undefined where its evidence names no package. */
function idToday({ rule_id, resource_uid, evidence }: Told): string | undefined {
  const name = textOf(evidence['package_name']);
  if (name === undefined) return undefined;
  const [first] = listOf(evidence['packages']);
  const release = textOf((first as Record<string, unknown> | undefined)?.['release']);
  const version = textOf(evidence['installed_version']);
  const discriminator = packageIdentity({
    name,
    version: version === undefined || release === undefined ? version : `${version}-${release}`,
    ecosystem: textOf(evidence['package_type']) ?? textOf((first as Record<string, unknown> | undefined)?.['package_manager']),
    purl: textOf(evidence['purl']),
  });
  const names = [evidence['advisory'], rule_id, ...listOf(evidence['aliases']), ...listOf(evidence['related_vulnerabilities'])];
  return findingId(ENGINE, { rule_id: vulnerabilityName(names.flatMap((one) => textOf(one) ?? [])), resource_uid, discriminator });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
