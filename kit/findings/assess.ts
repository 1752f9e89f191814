import { hash } from 'node:crypto';
import type { AssessmentInput } from '../../schema/observations.js';
import type { AuditLog } from '../audit/audit.js';
import { SYSTEM_ACTOR } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import type { IngestRun } from '../engine/finding-sink.js';
import type { OpenFindingsServices } from './open-changes.js';
import { FindingUpdates } from './finding-updates.js';
import { MERGE_FIELDS } from './merge.js';
import { findings, type FindingRow } from './row.js';
import { MANUAL_MOVES, type FindingStatus } from '../../schema/model.js';

/** Findings of one vulnerability that are looked at in one transaction. */
const BATCH = 500;
/** Statements that a finding remembers. */
const MOST_REMEMBERED = 20;
const FIELDS = [...MERGE_FIELDS, 'title', 'resource_name', 'evidence', 'assessed'] as const;
type Assessed = Pick<FindingRow, '_id' | (typeof FIELDS)[number]>;

/** The statuses from which a finding may become a false positive. */
const MOVABLE = (Object.keys(MANUAL_MOVES) as FindingStatus[]).filter((status) => MANUAL_MOVES[status].includes('FALSE_POSITIVE'));

/** Findings of which engine and tenant statements are about. */
interface Where {
  readonly tenantId: string;
  readonly engine: string;
}

/**
 * Makes false positives of the findings that a statement speaks of, whichever scanner reports them, with an audit entry each. A finding remembers the
 * statement: said again, it moves nothing, so that a person who opens the finding again has the last word until the statement changes.
 */
export async function assessFindings(
  services: OpenFindingsServices & { readonly clock: Clock },
  auditLog: AuditLog,
  { tenantId, engine }: Where,
  run: IngestRun,
  assessment: AssessmentInput,
): Promise<void> {
  const { rule_ids, artifacts, note } = assessment;
  const said = hash('sha256', JSON.stringify([[...rule_ids].sort(), artifacts ?? null, assessment.package ?? null, note])).slice(0, 16);
  const rows = services.database.tenant(tenantId).engine(engine).collection(findings);
  const filter = {
    rule_id: { $in: rule_ids },
    ...(artifacts && { resource_uid: { $in: artifacts } }),
    status: { $in: MOVABLE },
    assessed: { $ne: said },
  };
  for (let after: string | undefined = ''; after !== undefined;) {
    after = await services.database.transaction(async (transaction) => {
      const beyond = { ...filter, _id: { $gt: after } };
      const found: Assessed[] = await rows.find(beyond, { sort: { _id: 1 }, limit: BATCH, fields: FIELDS, transaction });
      const told = { actor_email: SYSTEM_ACTOR, result: 'success', detail: { scan_run_id: run.scan_run_id } } as const;
      const updates = new FindingUpdates(engine, told);
      for (const row of found.filter(({ evidence }) => isOfPackage(evidence, assessment.package))) {
        const assessed = [...(row.assessed ?? []), said].slice(-MOST_REMEMBERED);
        const change = { absent_since: null, suppressed_by: null, version: row.version + 1, assessed };
        updates.set(row, { ...change, status: 'FALSE_POSITIVE' });
        const { finding_id, status: from } = row;
        updates.moves.add(finding_id, { action: 'finding.status', from, to: 'FALSE_POSITIVE', detail: { note } });
      }
      await updates.write(services, auditLog, tenantId, services.clock.now(), transaction);
      return found.length < BATCH ? undefined : found.at(-1)!._id;
    });
  }
}

/**
 * Whether a finding is of the package: scanners name it by package URL, or by name and version.
 * @param named the package URL without qualifiers, or `name@version`; any package when absent
 */
export function isOfPackage(evidence: Readonly<Record<string, unknown>>, named: string | undefined): boolean {
  if (named === undefined) return true;
  const { purl, package_name, installed_version } = evidence;
  if (typeof purl === 'string') {
    // Go's own tools write v1.2.3, statements and advisories 1.2.3
    const plain = purl.replace(/[?#].*$/, '').replace(/^(pkg:golang\/[^@]*@)v(?=\d)/, '$1');
    return same(plain, named) || (!/@[^/]*$/.test(named) && same(plain.replace(/@[^/@]*$/, ''), named));
  }
  const [, name, version] = /^(?:pkg:[^/]+\/)?(.+?)(?:@([^@/]*))?$/.exec(decoded(named)) ?? [];
  const isVersion = version === undefined || version === '' || installed_version === version;
  return (
    typeof package_name === 'string' &&
    isVersion &&
    (package_name.replace(':', '/') === name || name?.endsWith(`/${package_name}`) === true)
  );
}

const same = (one: string, other: string): boolean => decoded(one) === decoded(other);

/** Tools encode `@` and `+` of package URLs or do not. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
