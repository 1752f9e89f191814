import type { EnginePart } from '../../../kit/engine/engine.js';
import { rulesChangedTask } from './ask.js';
import { JUDGE_AGAIN, judgeAgainJob } from './job.js';
import { detectionVersions } from './records.js';

/** Judges stored events again when rules have changed. */
export const again: EnginePart = {
  prefixes: ['cdr'],
  typeDefs: '',
  resolvers: {},
  collections: [detectionVersions],
  jobs: { [JUDGE_AGAIN]: judgeAgainJob },
  background: [rulesChangedTask],
};
