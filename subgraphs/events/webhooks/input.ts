import { z } from 'zod';
import { PROVIDERS, SEVERITIES } from '../../../schema/model.js';
import { AUDIT_ACTIONS } from '../../../kit/audit/entry.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { invalid, type Violation, violationsOf } from '../../../kit/base/errors.js';
import { ForbiddenTarget } from '../../../kit/outbound/outbound.js';
import type { WebhookFilter, WebhookRow } from './records.js';

/** What a caller says of a webhook; a change leaves out what stays. */
export interface WebhookInput {
  url?: string | null;
  events?: string[] | null;
  filter?: WebhookFilter | null;
  description?: string | null;
  state?: WebhookRow['state'] | null;
  rotate_secret?: boolean | null;
}

const list = <T extends z.ZodType>(item: T, most: number) => z.array(item).max(most, `must have at most ${most} entries`).nullish();
const facts = z.object({
  url: z.string().trim().max(2_000, 'must have at most 2000 characters'),
  events: z
    .array(z.enum([...AUDIT_ACTIONS, '*'], 'must be a kind of event, an action of the audit log, or *'))
    .min(1, 'name at least one kind of event')
    .max(AUDIT_ACTIONS.length),
  filter: z
    .object({
      severity: list(z.enum(SEVERITIES), 5),
      engine: list(z.string(), 50),
      provider: list(z.enum(PROVIDERS), 7),
      account_id: list(z.string().min(1, 'must not be empty').max(200), 100),
    })
    .nullable(),
  description: z.string().trim().max(500, 'must have at most 500 characters').nullable(),
});

type Facts = Pick<WebhookRow, 'url' | 'events' | 'filter' | 'description'>;

/**
 * Checks what `input` says, all of it at once.
 * @param complete whether url and events must be there
 * @returns the fields that it names
 * @throws PalisadeError VALIDATION_ERROR, also for a url that must not be called from here
 */
export async function checkedInput(context: EngineContext, input: WebhookInput, complete: boolean): Promise<Partial<Facts>> {
  const named = Object.fromEntries(Object.entries(input).filter(([key, value]) => value !== undefined && key in facts.shape));
  const schema = complete ? facts.partial({ filter: true, description: true }) : facts.partial();
  const parsed = schema.safeParse(named);
  const violations: Violation[] = parsed.success ? [] : violationsOf(parsed.error);
  for (const engine of input.filter?.engine ?? [])
    if (!context.services.findingEngines.some(({ viewSegment }) => viewSegment === engine))
      violations.push({ path: 'filter.engine', message: 'must name engines as /views/finding/{engine}/{id} does' });
  if (parsed.success && parsed.data.url !== undefined) violations.push(...(await targetFaults(context, parsed.data.url)));
  if (violations.length > 0 || !parsed.success) throw invalid(violations);
  const { filter, ...rest } = parsed.data;
  return { ...rest, ...(filter !== undefined && { filter: narrowing(filter ?? {}) }) };
}

async function targetFaults({ services }: EngineContext, url: string): Promise<Violation[]> {
  try {
    await services.outbound.assertReachable(url);
    return [];
  } catch (error) {
    if (error instanceof ForbiddenTarget) return [{ path: 'url', message: error.message }];
    throw error;
  }
}

/** The lists that narrow something. */
const narrowing = (filter: { [K in keyof WebhookFilter]?: WebhookFilter[K] | null }): WebhookFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, values]) => values?.length));
