import type { EngineDatabase } from '../../../kit/store/database.js';
import { isOfPackage } from '../../../kit/findings/assess.js';
import { isStanding } from '../../../kit/findings/lifecycle.js';
import { ADVISORY_SOURCE } from '../../../kit/findings/other-sources.js';
import { findings } from '../../../kit/findings/row.js';
import type { Observation } from '../../../schema/observations.js';

/**
 * Those of some observations by advisories that a scanner reports under an identity of its own: by another name of the vulnerability, or with the
 * file that the package was found in. What it reports by CVE and package is the same finding anyway.
 */
export async function reportedByScanners(database: EngineDatabase, told: readonly Observation[]): Promise<Set<Observation>> {
  const names = new Map(told.map((one) => [one, new Set([one.rule_id, ...aliasesOf(one)])]));
  const reported = await database.collection(findings).find(
    {
      rule_id: { $in: [...new Set([...names.values()].flatMap((all) => [...all]))] },
      resource_uid: { $in: [...new Set(told.map(({ resource_uid }) => resource_uid))] },
      source: { $ne: ADVISORY_SOURCE },
      status: { $ne: 'RESOLVED' },
    },
    { fields: ['rule_id', 'resource_uid', 'discriminator', 'status', 'absent_since', 'evidence'] },
  );
  const standing = reported.filter(isStanding);
  return new Set(
    told.filter((one) =>
      standing.some(({ rule_id, resource_uid, discriminator, evidence }) => {
        if (resource_uid !== one.resource_uid || !names.get(one)!.has(rule_id)) return false;
        if (discriminator === one.discriminator) return rule_id !== one.rule_id;
        return isOfPackage(evidence, packageOf(one));
      }),
    ),
  );
}

/** The package with its distribution, which the discriminator leaves out. */
const packageOf = ({ evidence: { purl }, discriminator }: Observation): string | undefined =>
  typeof purl === 'string' ? purl.replace(/[?#].*$/, '') : discriminator;

/** The other names of the vulnerability, as the evidence has them. */
function aliasesOf({ evidence: { aliases } }: Observation): string[] {
  return Array.isArray(aliases) ? aliases.filter((name) => typeof name === 'string') : [];
}
