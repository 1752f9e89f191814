import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Database } from '../../kit/store/database.js';
import { badRequest, unauthenticated } from '../../kit/base/errors.js';
import type { JobQueue } from '../../kit/work/jobs.js';
import type { MasterKey } from '../../kit/keys/master-key.js';
import { openCredentials } from '../../subgraphs/events/integrations/credentials.js';
import { integrations, type IntegrationRow } from '../../subgraphs/events/integrations/records.js';
import { integrationAuth, isJira, TICKET_STATUS_JOB, type TicketMove } from '../../subgraphs/events/tickets/status-in.js';
import { assertAllowed, type RateLimiter } from '../../http/rate-limit.js';

export interface HookDependencies {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly jobs: JobQueue;
  readonly rateLimiter: RateLimiter;
}

/** Bytes of the largest message. */
const BODY_LIMIT = 262_144;
const SIGNATURE = 'x-hub-signature';
/** The last moment that a Date can be. */
const LATEST = 8.64e15;

/** What is read of `jira:issue_updated`; everything else that Jira tells is left alone. */
const message = z.object({
  timestamp: z.number().int().nonnegative().max(LATEST),
  issue: z.object({ key: z.string().max(255), fields: z.object({ status: z.object({ name: z.string().max(255) }) }) }),
  changelog: z.object({ items: z.array(z.object({ field: z.string() })) }),
});

/**
 * Adds `POST /api/hooks/jira/{integration_id}`, to which Jira's webhooks post: signed with the integration's `hook_secret`, HMAC-SHA-256 over the
 * body as it came, in `X-Hub-Signature: sha256=<hex>`. A change of status becomes a job; the answer does not wait for it.
 */
export function registerJiraHook(app: FastifyInstance, { database, masterKey, jobs, rateLimiter }: HookDependencies): void {
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    hooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));
    hooks.post<{ Params: { integration_id: string } }>('/api/hooks/jira/:integration_id', async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      // no session names the tenant here: the integration's random id does, once the signature holds
      const row = await database.system(integrations).findOne({ _id: request.params.integration_id });
      const integration = isJira(row) ? row : null;
      if (!isSigned(masterKey, integration, body, request.headers[SIGNATURE])) {
        assertAllowed(await rateLimiter.consumeAddress(request.ip));
        throw unauthenticated('The signature does not hold');
      }
      const move = integration && moveOf(integration._id, body);
      if (integration && move) {
        await database.transaction((transaction) => jobs.add(transaction, integrationAuth(integration), TICKET_STATUS_JOB, move));
        jobs.wake();
      }
      return reply.code(204).send();
    });
  });
}

/** Whether the body is signed for the integration. An unknown one takes as long to refuse as a wrong signature. */
function isSigned(masterKey: MasterKey, integration: IntegrationRow<'jira'> | null, body: Buffer, given: unknown): boolean {
  const secret = integration === null ? undefined : openCredentials(masterKey, integration).hook_secret;
  const expected = `sha256=${createHmac('sha256', secret ?? 'no secret')
    .update(body)
    .digest('hex')}`;
  const [one, other] = [Buffer.from(expected), Buffer.from(typeof given === 'string' ? given : '')];
  const same = one.length === other.length && timingSafeEqual(one, other);
  return same && secret !== undefined;
}

/** The change of status that a message tells of, or null. @throws PalisadeError BAD_REQUEST when it is not JSON */
function moveOf(integrationId: string, body: Buffer): TicketMove | null {
  let told: unknown;
  try {
    told = JSON.parse(body.toString('utf8'));
  } catch {
    throw badRequest('The body is not valid JSON');
  }
  const { data } = message.safeParse(told);
  if (!data?.changelog.items.some(({ field }) => field === 'status')) return null;
  return { integration_id: integrationId, ticket_id: data.issue.key, ticket_status: data.issue.fields.status.name, at: data.timestamp };
}
