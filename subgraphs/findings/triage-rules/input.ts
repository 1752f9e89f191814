import { z } from 'zod';
import { PROVIDERS, SEVERITIES } from '../../../schema/model.js';
import { assertClientId } from '../../../kit/base/client-id.js';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { assigneeOf } from '../assignment/people.js';
import { assertReadable, SCOPE_PARTS, values } from '../suppressions/input.js';
import { readable } from '../suppressions/matched.js';

/** What a client says of a rule. */
export interface TriageRuleInput {
  name: string;
  filter?: Record<string, unknown> | null;
  assignee?: string | null;
  due_in_days?: number | null;
  labels?: string[] | null;
  enabled?: boolean | null;
  dry_run?: boolean | null;
}

const ruleSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    filter: z.strictObject({
      ...SCOPE_PARTS,
      severity: z.array(z.enum(SEVERITIES)).max(10).default([]),
      provider: z.array(z.enum(PROVIDERS)).max(10).default([]),
      resource_type: values(512),
    }),
    assignee: z.string().min(1).max(254).nullable().default(null),
    due_in_days: z.int().min(0).max(3_650).nullable().default(null),
    labels: z
      .array(z.string().trim().min(1).max(64))
      .max(10)
      .default([])
      .transform((all) => [...new Set(all)]),
    enabled: z.boolean().default(true),
  })
  .refine(({ assignee, due_in_days, labels }) => assignee !== null || due_in_days !== null || labels.length > 0, {
    path: ['assignee'],
    message: 'a rule assigns, dates or labels: name an assignee, due_in_days or labels',
  });
export type CheckedTriageRule = z.infer<typeof ruleSchema>;

/**
 * Checks a rule and the id that the client chose for it; the assignee becomes an address.
 * @throws PalisadeError VALIDATION_ERROR, also for an assignee who may not read what the rule covers; FORBIDDEN for an engine that the caller may not read
 */
export async function checkTriageRule(
  context: EngineContext,
  id: string,
  { dry_run: _dryRun, ...input }: TriageRuleInput,
): Promise<CheckedTriageRule> {
  assertClientId(id);
  const parsed = ruleSchema.safeParse({ ...setMembers(input), filter: setMembers(input.filter) });
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { engine } = parsed.data.filter;
  assertReadable(context, 'filter.engine', engine);
  const { assignee } = parsed.data;
  if (assignee === null) return parsed.data;
  // of a rule for all engines those that its assignee may not read stay without one
  const named = engine.length === 0 ? [] : readable(context).engines.filter(({ viewSegment }) => engine.includes(viewSegment));
  return { ...parsed.data, assignee: await assigneeOf(context, named, assignee) };
}
