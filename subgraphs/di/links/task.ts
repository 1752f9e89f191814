import { dueTask } from '../due-task.js';
import { resolveLinks } from './resolve.js';

/** Resolves references that are due and no run resolves, also those of images that scanners describe. */
export const linksTask = dueTask({
  name: 'links',
  column: 'links_due',
  work: resolveLinks,
  failed: 'references between assets could not be resolved',
});
