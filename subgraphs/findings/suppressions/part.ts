import type { EnginePart } from '../../../kit/engine/engine.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { suppressions } from '../../../kit/findings/suppressions/records.js';
import { suppressionTask } from '../../../kit/findings/suppressions/task.js';
import { previewSuppression } from './preview.js';
import {
  createSuppression,
  findSuppression,
  listSuppressions,
  removeSuppression,
  updateSuppression,
  type NewSuppression,
} from './service.js';

const tag = 'suppressions';

/** Rules by which findings are suppressed. */
export const suppressionsPart: EnginePart = {
  prefixes: ['suppressions'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      suppressions: (_, args: PageArguments & { state?: string[] }, context) => listSuppressions(context, args),
      suppression: (_, args: { id: string }, context) => findSuppression(context, args.id),
    },
    Mutation: {
      create_suppression: (_, args: { input: NewSuppression }, context) => createSuppression(context, args.input),
      update_suppression: (_, args: { id: string; input: Partial<NewSuppression> }, context) =>
        updateSuppression(context, args.id, args.input),
      remove_suppression: (_, args: { id: string }, context) => removeSuppression(context, args.id),
      preview_suppression: (_, args: { input: { scope: unknown } }, context) => previewSuppression(context, args.input),
    },
  },
  routes: [
    { method: 'GET', path: '/suppressions', field: 'suppressions', tag },
    { method: 'POST', path: '/suppressions', field: 'create_suppression', status: 201, tag },
    { method: 'POST', path: '/suppressions/preview', field: 'preview_suppression', tag },
    { method: 'GET', path: '/suppressions/{id}', field: 'suppression', tag },
    { method: 'PATCH', path: '/suppressions/{id}', field: 'update_suppression', tag },
    { method: 'DELETE', path: '/suppressions/{id}', field: 'remove_suppression', status: 204, tag },
  ],
  collections: [suppressions],
  background: [suppressionTask],
};
