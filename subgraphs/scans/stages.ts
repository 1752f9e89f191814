import type { Clock } from '../../kit/base/clock.js';
import type { RunState } from '../../schema/model.js';
import type { Queue } from './batch-writer.js';
import { STAGES, type RunStage, type StageName } from './records.js';

/** The stage that a batch belongs to. */
export const STAGE_OF: Readonly<Record<Queue, StageName>> = {
  inventory: 'inventory',
  components: 'inventory',
  findings: 'ingest',
  events: 'ingest',
};

/** The stages of a run that has not begun. */
export const waitingStages = (names: readonly StageName[]): RunStage[] =>
  names.map((stage) => ({ stage, state: 'QUEUED', started_at: null, completed_at: null, error: null }));

/** Takes the time of the stages of one try: each from the first of its work to the last. */
export class StageClock {
  private readonly stages: RunStage[];

  /** @param names of the stages that the run has @param done those that an earlier try has done, and this one does not do again */
  constructor(
    private readonly clock: Clock,
    names: readonly StageName[],
    done: readonly RunStage[] = [],
  ) {
    this.stages = [...done, ...waitingStages(STAGES.filter((stage) => names.includes(stage)))];
  }

  /** How far they are. */
  get all(): RunStage[] {
    return this.stages.map((stage) => ({ ...stage }));
  }

  /** Does work of a stage. One that the run was not known to have is added. */
  async during<T>(name: StageName, work: () => Promise<T>): Promise<T> {
    const stage = this.stageOf(name);
    stage.started_at ??= this.clock.now();
    stage.state = 'RUNNING';
    const done = await work();
    stage.completed_at = this.clock.now();
    return done;
  }

  /** What they are once the run has ended in `state`: a stage without work has nothing to complete. @param error of the stage that was at work */
  ended(state: RunState, error: string | null = null): RunStage[] {
    const failed = error === null ? undefined : (this.stages.findLast(({ started_at }) => started_at !== null) ?? this.stages[0]);
    return this.stages.map((stage) => ({ ...stage, state, error: stage === failed ? error : null }));
  }

  private stageOf(name: StageName): RunStage {
    const known = this.stages.find(({ stage }) => stage === name);
    if (known) return known;
    const [added] = waitingStages([name]);
    this.stages.push(added!);
    this.stages.sort((one, other) => STAGES.indexOf(one.stage) - STAGES.indexOf(other.stage));
    return added!;
  }
}
