import { z } from 'zod';
import { PROVIDERS, SEVERITIES } from '../../../schema/model.js';
import { assertClientId } from '../../../kit/base/client-id.js';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import { RULE_EVENTS } from '../channels/digest.js';
import { setMembers } from '../../../kit/base/set-members.js';

/** What a client says of a rule. */
export interface RuleInput {
  name: string;
  event: string;
  filter?: Record<string, unknown> | null;
  integration_id?: string | null;
  recipients?: string[] | null;
  throttle_minutes?: number | null;
  enabled?: boolean | null;
  dry_run?: boolean | null;
}

const listOf = <T extends z.ZodType>(item: T) => z.array(item).max(100).default([]);
const value = z.string().min(1).max(512);

const definition = (segments: readonly string[]) =>
  z
    .strictObject({
      name: z.string().trim().min(1).max(100),
      event: z.enum(RULE_EVENTS),
      filter: z.strictObject({
        engine: listOf(z.string().refine((one) => segments.includes(one), 'must be a view segment')),
        severity: listOf(z.enum(SEVERITIES)),
        provider: listOf(z.enum(PROVIDERS)),
        account_id: listOf(value),
        rule_id: listOf(value),
        resource_type: listOf(value),
      }),
      integration_id: z.string().nullable().default(null),
      recipients: z.array(z.email().max(254)).max(50).default([]),
      throttle_minutes: z.number().int().min(0).max(1_440).default(0),
      enabled: z.boolean().default(true),
    })
    .refine(({ integration_id, recipients }) => (integration_id === null) === recipients.length > 0, {
      path: ['integration_id'],
      message: 'name an integration, or recipients of mail: one of the two',
    });

export type CheckedRule = z.infer<ReturnType<typeof definition>>;

/**
 * Checks a rule and the id that the client chose for it.
 * @param segments the view segments that a filter may name
 * @throws PalisadeError VALIDATION_ERROR
 */
export function checkRule(id: string, { dry_run: _dryRun, ...input }: RuleInput, segments: readonly string[]): CheckedRule {
  assertClientId(id);
  const parsed = definition(segments).safeParse({ ...setMembers(input), filter: setMembers(input.filter) });
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error));
}
