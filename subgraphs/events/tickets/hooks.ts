import { z } from 'zod';
import { badRequest } from '../../../kit/base/errors.js';
import { hasHubSignature, type EngineHook } from '../../../kit/engine/hook.js';
import { isEnded } from '../../../kit/work/tenant-ends.js';
import { openCredentials } from '../integrations/credentials.js';
import { integrations } from '../integrations/records.js';
import { integrationAuth, isJira, TICKET_STATUS_JOB, type TicketMove } from './status-in.js';

/** The last moment that a Date can be. */
const LATEST = 8.64e15;

/** What is read of `jira:issue_updated`; everything else that Jira sends is left alone. */
const message = z.object({
  timestamp: z.number().int().nonnegative().max(LATEST),
  issue: z.object({ key: z.string().max(255), fields: z.object({ status: z.object({ name: z.string().max(255) }) }) }),
  changelog: z.object({ items: z.array(z.object({ field: z.string() })) }),
});

/** Jira's webhook: a change of an issue's status becomes a job. The id is the integration's. */
export const jiraHook: EngineHook = {
  kind: 'jira',
  description: 'Where the webhook of Jira posts to, signed with the hook_secret of the integration (X-Hub-Signature).',
  signatureHeader: 'x-hub-signature',
  formerPath: '/api/hooks/jira/:id',
  async find({ database, masterKey }, id) {
    // no session names the tenant here: the integration's random id does, once the signature holds
    const row = await database.system(integrations).findOne({ _id: id });
    if (!isJira(row) || (await isEnded(database, row.tenant_id))) return null;
    return { secret: openCredentials(masterKey, row).hook_secret, auth: integrationAuth(row) };
  },
  isSigned: hasHubSignature,
  jobOf(id, body) {
    let content: unknown;
    try {
      content = JSON.parse(body.toString('utf8'));
    } catch {
      throw badRequest('The body is not valid JSON');
    }
    const { data } = message.safeParse(content);
    if (!data?.changelog.items.some(({ field }) => field === 'status')) return null;
    const { key, fields } = data.issue;
    const payload: TicketMove = { integration_id: id, ticket_id: key, ticket_status: fields.status.name, at: data.timestamp };
    return { kind: TICKET_STATUS_JOB, payload };
  },
};
