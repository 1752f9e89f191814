import { dueTask } from '../due-task.js';
import { rescoreDue, rescoreWakeup } from './rescore.js';

/** Scores findings anew on assets that people have called more or less critical, or whose tags were given another meaning. */
export const rescoreTask = dueTask({
  name: 'risk scores',
  column: 'rescore_due',
  work: rescoreDue,
  failed: 'findings could not be scored anew',
  wakeup: rescoreWakeup,
});
