import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { assign, type AssignmentInput } from './assign.js';
import { comment } from './comment.js';

const tag = 'finding-triage';

interface Named {
  engine: string;
  id: string;
}

/** Who works on a finding, and what people say of it. */
export const assignmentPart: EnginePart = {
  prefixes: ['views'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Mutation: {
      set_finding_assignee: (_, args: Named & { input: AssignmentInput; expected_version?: number | null }, context) =>
        assign(context, args.engine, args.id, args.input, args.expected_version ?? null),
      comment_on_finding: (_, args: Named & { input: { text: string } }, context) => comment(context, args.engine, args.id, args.input),
    },
  },
  routes: [
    {
      method: 'PATCH',
      path: '/views/finding/{engine}/{id}/assignee',
      field: 'set_finding_assignee',
      headers: { 'if-match': 'expected_version' },
      tag,
    },
    { method: 'POST', path: '/views/finding/{engine}/{id}/comments', field: 'comment_on_finding', status: 201, tag },
  ],
};
