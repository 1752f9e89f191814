import type { EngineContext } from '../engine/context.js';
import { readableEngines } from '../findings/present-owner.js';
import { otherSources } from '../findings/other-sources.js';
import { findings, type FindingRow } from '../findings/row.js';

/** What attack paths read of a finding. */
export type PathFinding = Pick<
  FindingRow,
  'engine' | 'finding_id' | 'rule_id' | 'resource_uid' | 'cvss' | 'epss' | 'known_exploited' | 'evidence'
>;

const FIELDS = ['engine', 'finding_id', 'rule_id', 'resource_uid', 'cvss', 'epss', 'known_exploited', 'evidence'] as const;
/** What is there whatever people think of it: an accepted risk is one all the same, a false positive is none. */
const STANDING = { status: { $in: ['OPEN', 'IN_PROGRESS', 'SUPPRESSED'] }, absent_since: null } as const;
/** Values that are asked for at once. */
const AT_ONCE = 200;

/**
 * Findings that stand, of engines that the caller may read, by rule or by resource, one after the other.
 * @param engines whose findings are meant
 */
export async function* readStanding(
  { services, auth, signal }: EngineContext,
  engines: readonly string[],
  by: 'rule_id' | 'resource_uid',
  values: readonly string[],
): AsyncGenerator<PathFinding> {
  const readable = readableEngines(services, auth).filter((engine) => engines.includes(engine));
  if (readable.length === 0) return;
  const rows = services.database.tenant(auth.tenant_id).engines(readable).collection(findings);
  for (let at = 0; at < values.length; at += AT_ONCE) {
    signal.throwIfAborted();
    yield* rows.scan({ [by]: { $in: values.slice(at, at + AT_ONCE) }, ...STANDING }, { fields: FIELDS });
  }
}

/**
 * Vulnerabilities that stand, of engines that the caller may read, by the artifacts that they are in: also where another scanner leads, which has another
 * name for the artifact. `resource_uid` is the name that was asked for.
 */
export async function* readVulnerabilitiesIn(context: EngineContext, artifacts: readonly string[]): AsyncGenerator<PathFinding> {
  const { services, auth } = context;
  yield* readStanding(context, ['vulnerability'], 'resource_uid', artifacts);
  if (!readableEngines(services, auth).includes('vulnerability')) return;
  const rows = services.database.tenant(auth.tenant_id).engine('vulnerability');
  for (let at = 0; at < artifacts.length; at += AT_ONCE) {
    context.signal.throwIfAborted();
    const named = new Map<string, Set<string>>();
    for await (const { finding, artifact } of rows
      .collection(otherSources)
      .scan({ artifact: { $in: artifacts.slice(at, at + AT_ONCE) } }, { fields: ['finding', 'artifact'] }))
      named.set(finding, (named.get(finding) ?? new Set()).add(artifact!));
    const ids = [...named.keys()];
    for (let first = 0; first < ids.length; first += AT_ONCE)
      for await (const row of rows
        .collection(findings)
        .scan({ _id: { $in: ids.slice(first, first + AT_ONCE) }, ...STANDING }, { fields: ['_id', ...FIELDS] }))
        for (const resource_uid of named.get(row._id)!) if (resource_uid !== row.resource_uid) yield { ...row, resource_uid };
  }
}

/** What any finding of the tenant tells of CVEs: how likely one is exploited is a property of the CVE, and not of the place where it was found. */
export async function readExploitation(
  { services, auth }: EngineContext,
  cves: readonly string[],
): Promise<ReadonlyMap<string, { epss: number | null; known_exploited: boolean }>> {
  const told = new Map<string, { epss: number | null; known_exploited: boolean }>();
  if (!readableEngines(services, auth).includes('vulnerability')) return told;
  const rows = services.database.tenant(auth.tenant_id).engine('vulnerability').collection(findings);
  for (let at = 0; at < cves.length; at += AT_ONCE) {
    const found = await rows.aggregate<{ _id: string; epss: number | null; known: number }>([
      { $match: { rule_id: { $in: cves.slice(at, at + AT_ONCE) } } },
      { $group: { _id: '$rule_id', epss: { $max: '$epss' }, known: { $sum: { $cond: [{ $eq: ['$known_exploited', true] }, 1, 0] } } } },
    ]);
    for (const { _id, epss, known } of found) told.set(_id, { epss: epss ?? null, known_exploited: known > 0 });
  }
  return told;
}
