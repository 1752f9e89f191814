import type { Subject, Surroundings } from '../cel/asset-value.js';
import { bindingsOf, type Evaluation } from '../evaluate.js';

/** A failure that is looked into. */
export type Failure = Pick<Evaluation, 'rule' | 'program'>;

/** A rule that looks around gives no answer here, and so blames nothing. */
const NOTHING_AROUND: Surroundings = { companions: () => undefined, resources: () => undefined };

/** Whether a rule fails a resource that has another configuration: one that holds a part of what the resource has shows whether that part is at fault. */
export const failsWith = ({ program }: Failure, subject: Subject, configuration: unknown): boolean =>
  program?.(bindingsOf({ ...subject, configuration: configuration as Subject['configuration'] }, NOTHING_AROUND)) === false;
