import type { EngineContext } from '../../kit/engine/context.js';
import { admitFindings, roomForFindings } from '../../kit/findings/room.js';
import type { FindingSink, PreparedObservation } from '../../kit/engine/finding-sink.js';
import { allowancesOf, overAllowance } from '../../kit/base/quotas.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { countUsage, readUsage, UPLOADS, usageOfDay } from '../../kit/store/tenant-usage.js';

const MIB = 1_048_576;
/** What a run may store of, as allowances name it. */
const STORED = ['findings', 'assets', 'events', 'components', 'indicators'] as const;
type Stored = (typeof STORED)[number];

/** Refuses an import when the tenant's plan has no room for a finding or an asset more. @throws PalisadeError VALIDATION_ERROR */
export async function assertRoom(context: EngineContext): Promise<void> {
  const { plan } = context.auth;
  const { used, allowed } = await roomForFindings(context);
  if (used >= allowed) {
    const message = `the plan ${plan} allows ${allowed} stored findings, and ${used} are stored`;
    throw overAllowance('report', { message, plan, allowance: 'findings', allowed, used });
  }
  await context.services.ingest.assertRoom(context);
}

/** Counts a report among the day's, in the transaction that makes its run. @throws PalisadeError VALIDATION_ERROR when the day's are used up */
export async function countUpload({ services, auth }: EngineContext, transaction: TransactionOf, bytes: number): Promise<void> {
  const { plan } = auth;
  const tenant = services.database.tenant(auth.tenant_id);
  const { what, expires_at } = usageOfDay(UPLOADS, services.clock.now());
  const used = (await readUsage(tenant, what, transaction)) ?? 0;
  const allowed = allowancesOf(services.config, plan).upload_mib_per_day;
  if (used + bytes > allowed * MIB) {
    const message = `the plan ${plan} allows reports of ${allowed} MiB a day (UTC): ${mib(used)} MiB came today, and this one has ${mib(bytes)}`;
    throw overAllowance('report', { message, plan, allowance: 'upload_mib_per_day', allowed, used: mib(used) });
  }
  await countUsage(tenant, what, bytes, { transaction, expires_at });
}

const mib = (bytes: number): number => Math.ceil((bytes / MIB) * 100) / 100;

/** What a run may store. What the tenant has goes on being updated; what is new and has no room is left out, and counted. */
export class RoomOfRun {
  private readonly leftOut = { findings: 0, assets: 0, events: 0, components: 0, indicators: 0 };

  constructor(private readonly context: EngineContext) {}

  /** The observations of a batch that are stored already, and the first new ones for which there is room. */
  async admit(store: FindingSink, batch: readonly PreparedObservation[]): Promise<readonly PreparedObservation[]> {
    const { admitted, leftOut } = await admitFindings(this.context, store, batch);
    this.leftOut.findings += leftOut;
    return admitted;
  }

  /** Hands assets, events, components or indicators to those who store them, and notes how many they left out. */
  async takeIn(kind: Exclude<Stored, 'findings'>, take: () => Promise<number>): Promise<void> {
    this.leftOut[kind] += await take();
  }

  /** What was left out, one line each: a run with any is not complete, and closes nothing. */
  get shortages(): string[] {
    return STORED.filter((kind) => this.leftOut[kind] > 0).map((kind) => shortageOf(this.context, kind, this.leftOut[kind]));
  }
}

/** What people are told of what was left out, because the tenant's plan has no room for it. */
export function shortageOf({ auth, services }: EngineContext, kind: Stored, leftOut: number): string {
  const allowed = allowancesOf(services.config, auth.plan)[kind];
  return `the plan ${auth.plan} allows ${allowed} stored ${kind}: ${leftOut} new ones were left out`;
}
