import { RUN_STATES, type RunState } from '../../../schema/model.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { jobs } from '../../../kit/work/jobs.js';
import { readQueues } from '../../../kit/work/queue-lag.js';
import { seeWorkers } from '../../../kit/work/worker-presence.js';
import { IMPORT_REPORT, scanRuns, type RunStage, type ScanRunRow } from '../records.js';
import { findScanRun } from '../service.js';

const FIELDS = [
  'scan_run_id',
  'state',
  'trigger',
  'format',
  'stages',
  'attempts',
  'engines',
  'created_at',
  'started_at',
  'completed_at',
  'last_error',
] as const;
type Watched = Pick<ScanRunRow, (typeof FIELDS)[number]>;

/** The tenant's runs with the stage that each is in. */
export async function listPipelineRuns(context: EngineContext, args: PageArguments & { state?: RunState[] | null }) {
  const window = pageWindow(args);
  const { services } = context;
  const rows = context.collection(scanRuns);
  const condition = args.state ? { state: { $in: args.state } } : {};
  const sort = { created_at: -1, scan_run_id: 1 } as const;
  const [items, states, queues, workers] = await Promise.all([
    rows.find(condition, { sort, skip: window.skip, limit: window.limit, fields: FIELDS }),
    rows.aggregate<{ _id: RunState; n: number }>([{ $group: { _id: '$state', n: { $sum: 1 } } }]),
    readQueues(context.collection(jobs), services.storeClock),
    seeWorkers(services),
  ]);
  const by_state = RUN_STATES.map((state) => ({ state, runs: states.find(({ _id }) => _id === state)?.n ?? 0 }));
  const total = by_state.reduce((sum, { state, runs }) => sum + (args.state?.includes(state) === false ? 0 : runs), 0);
  const now = services.clock.now();
  return {
    ...toPage(
      items.map((run) => view(run, now)),
      total,
      window,
    ),
    by_state,
    queues,
    workers,
  };
}

/** One run with its stages; null when there is none of this id. */
export async function pipelineRun(context: EngineContext, scanRunId: string) {
  const run = await findScanRun(context, scanRunId);
  if (!run) return null;
  const { services } = context;
  const [queues, workers] = await Promise.all([readQueues(context.collection(jobs), services.storeClock), seeWorkers(services)]);
  const attempts = attemptsOf(run);
  return {
    run: view(run, services.clock.now()),
    stages: (run.stages ?? []).map((stage) => ({
      ...stage,
      // a stage that has never worked was never tried
      attempts: stage.started_at ? attempts : Math.max(0, attempts - 1),
      duration_ms: durationOf(stage),
    })),
    engines: run.engines,
    queue: queues.find(({ kind }) => kind === IMPORT_REPORT) ?? { kind: IMPORT_REPORT, waiting: 0, running: 0, lag_ms: 0 },
    workers,
  };
}

/** Runs of earlier releases counted by engine. */
const attemptsOf = ({ attempts, engines }: Watched): number => attempts ?? engines[0]?.attempts ?? 0;

function view(run: Watched, now: Date) {
  const { scan_run_id, state, trigger, format, stages = [], created_at, started_at, completed_at, last_error = null } = run;
  return {
    scan_run_id,
    state,
    trigger,
    format,
    stage: lastStage(stages)?.stage ?? null,
    attempts: attemptsOf(run),
    created_at,
    started_at,
    completed_at,
    waited_ms: (started_at ?? completed_at ?? now).getTime() - created_at.getTime(),
    duration_ms: started_at && (completed_at ?? now).getTime() - started_at.getTime(),
    last_error,
  };
}

/** The stage that began last; of those that began together the one that comes last. */
const lastStage = (stages: readonly RunStage[]): RunStage | undefined =>
  stages
    .filter(({ started_at }) => started_at !== null)
    .sort((one, other) => one.started_at!.getTime() - other.started_at!.getTime())
    .at(-1);

const durationOf = ({ started_at, completed_at }: RunStage): number | null =>
  started_at && completed_at ? completed_at.getTime() - started_at.getTime() : null;
