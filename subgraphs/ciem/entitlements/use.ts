import { actionsOf, type Actions } from '../../../catalog/actions/actions.js';
import { evidenceOf, windowStart, type Coverage, type Evidence, type LastAccess } from '../../../catalog/entitlements/evidence.js';
import type { Need } from '../../../catalog/entitlements/granted.js';
import { isHeld, usedRights, type Use, type UsedRight } from '../../../catalog/entitlements/used.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readEventUse, readLogCoverage, type ReadEventUse } from '../../../kit/read/event-use.js';
import type { Provider } from '../../../schema/model.js';
import type { EntitlementRow, EntitlementUse } from './records.js';
import { lastAccessOf } from '../last-access/records.js';

/** Services that are named of one identity at most. */
const MOST_SERVICES = 100;
/** Actors whose uses are asked for at once. */
const ACTORS_AT_ONCE = 200;

type Asked = Pick<EntitlementRow, 'resource_uid' | 'provider' | 'account_id' | 'created_at' | 'actors' | 'needs' | 'allow'>;

/** What the logs and reports of a tenant say of one provider's identities. */
export class UseOfProvider {
  private readonly coverage = new Map<string | null, Coverage[]>();

  private constructor(
    private readonly context: EngineContext,
    private readonly provider: Provider,
    private readonly now: Date,
  ) {}

  static async open(context: EngineContext, provider: Provider, now: Date): Promise<UseOfProvider> {
    const use = new UseOfProvider(context, provider, now);
    for (const { account_id, log, spans } of await readLogCoverage(context, provider)) {
      const held = { log, spans: spans.map(({ from, to }) => ({ from: new Date(from), to: new Date(to) })) };
      use.coverage.set(account_id, [...(use.coverage.get(account_id) ?? []), held]);
    }
    return use;
  }

  /** What some identities used of what they are given, in their order. */
  async of(rows: readonly Asked[]): Promise<{ use: EntitlementUse; used: UsedRight[] }[]> {
    const uses = await this.usesOf(rows.flatMap(({ actors }) => actors));
    const reports = await lastAccessOf(
      this.context,
      rows.map(({ resource_uid }) => resource_uid),
    );
    return rows.map((row) => {
      const lastAccess = reports.get(row.resource_uid) ?? null;
      const all = [...row.actors.flatMap((actor) => uses.get(actor) ?? []), ...reportedUses(lastAccess)];
      return this.summed(row, all, lastAccess);
    });
  }

  private async usesOf(actors: readonly string[]): Promise<ReadonlyMap<string, Use[]>> {
    const found = new Map<string, Use[]>();
    const names = [...new Set(actors)];
    for (let at = 0; at < names.length; at += ACTORS_AT_ONCE)
      for await (const use of readEventUse(this.context, this.provider, names.slice(at, at + ACTORS_AT_ONCE))) {
        const own = found.get(use.actor) ?? [];
        found.set(use.actor, own);
        if (use.used_at !== null) own.push(useOf(use, use.used_at));
      }
    return found;
  }

  private summed(row: Asked, uses: readonly Use[], lastAccess: ReportedAccess | null): { use: EntitlementUse; used: UsedRight[] } {
    const actions = actionsOf(this.provider);
    const used = usedRights(actions, uses, windowStart(this.now));
    const own = used.filter(({ right }) => isHeld(row.allow, right));
    const evidence = evidenceOf(row.needs, this.coverage.get(row.account_id) ?? [], lastAccess, this.now);
    const counts = actions.known.length > 0 ? countRights(actions, row, own, evidence) : countPatterns(actions, row, own, evidence);
    const services = new Set(own.map(({ right }) => actions.serviceOf(right)));
    const unusedServices = [...evidence.judgedServices].filter((service) => !services.has(service)).sort();
    const last = latestOf([...uses.map(({ used_at }) => used_at), ...(lastAccess?.services.values() ?? [])]);
    const use: EntitlementUse = {
      used_rights: counts.used,
      judged_rights: counts.judged,
      unused_rights: counts.unused,
      share_used: counts.granted === 0 ? null : Math.round(Math.min(1, counts.used / counts.granted) * 10_000) / 10_000,
      used_services: services.size,
      unused_services: unusedServices.slice(0, MOST_SERVICES),
      unused_services_count: unusedServices.length,
      last_used_at: last,
      unused: last !== null && last >= windowStart(this.now) ? false : evidence.isSufficient && isOld(row, this.now) ? true : null,
      is_proven: evidence.isSufficient && actions.isJudged,
      missing: actions.isJudged ? evidence.missing : [...actions.table.gaps],
    };
    return { use, used };
  }
}

/** What was made within the window has not had the time to be unused. */
const isOld = ({ created_at }: Asked, now: Date): boolean => created_at === null || created_at <= windowStart(now);

interface Counts {
  granted: number;
  used: number;
  judged: number;
  unused: number;
}

function countRights(actions: Actions, { needs }: Asked, used: readonly UsedRight[], { judged, isSeen }: Evidence): Counts {
  const seen = used.filter(({ right }) => isSeen(actions.logOf(right), actions.serviceOf(right)));
  return { granted: grantedRights(actions, needs, []), used: used.length, judged, unused: Math.max(0, judged - seen.length) };
}

/** Where the provider's rights are not listed, a pattern counts as used that holds a used right, and as seen when all its rights are. */
function countPatterns(actions: Actions, { needs, allow }: Asked, used: readonly UsedRight[], { isSeen }: Evidence): Counts {
  const isUsed = (pattern: string) => used.some(({ right }) => isHeld([pattern], right));
  const judged = actions.isJudged ? allow.filter((pattern) => actions.logsOf(pattern).every(([log, service]) => isSeen(log, service))) : [];
  const granted = grantedRights(actions, needs, allow);
  return { granted, used: allow.filter(isUsed).length, judged: judged.length, unused: judged.filter((pattern) => !isUsed(pattern)).length };
}

/** How many rights an identity is given: those of the provider's list, or the patterns of its statements. */
export const grantedRights = (actions: Actions, needs: readonly Need[], allow: readonly string[]): number =>
  actions.known.length > 0 ? needs.reduce((sum, { rights }) => sum + rights, 0) : allow.length;

const latestOf = (times: readonly (Date | null)[]): Date | null =>
  times.reduce((latest, time) => (latest === null || (time !== null && time > latest) ? time : latest), null);

type ReportedAccess = LastAccess & { uses: readonly Use[] };

const reportedUses = (report: ReportedAccess | null): readonly Use[] => report?.uses ?? [];

const useOf = ({ service, action, is_right, resources, resources_cut }: ReadEventUse, used_at: string): Use => ({
  ...{ service, action, is_right, used_at: new Date(used_at) },
  resources: resources_cut || resources.length === 0 ? null : resources,
});
