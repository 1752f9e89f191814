import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { badRequest } from '../../../kit/base/errors.js';
import { hasHubSignature, type EngineHook } from '../../../kit/engine/hook.js';
import { isEnded } from '../../../kit/work/tenant-ends.js';
import { jsonOf } from '../channels/json-target.js';
import { openCredentials } from '../integrations/credentials.js';
import { integrations, type IntegrationRow } from '../integrations/records.js';
import { integrationAuth, TICKET_STATUS_JOB, type TicketMove } from './status-in.js';

/** The last moment that a Date can be. */
const LATEST = 8.64e15;

/** What a message tells of a ticket that moved; of none, null. */
type Move = Pick<TicketMove, 'ticket_id' | 'ticket_status' | 'at' | 'project'> | null;

interface TrackerHook extends Pick<EngineHook, 'description' | 'signatureHeader' | 'formerPath' | 'isSigned'> {
  readonly kind: 'jira' | 'github' | 'gitlab';
  moveIn(message: unknown): Move;
}

/** What is read of `jira:issue_updated`; everything else that Jira sends is left alone. */
const jiraMessage = z.object({
  timestamp: z.number().int().nonnegative().max(LATEST),
  issue: z.object({ key: z.string().max(255), fields: z.object({ status: z.object({ name: z.string().max(255) }) }) }),
  changelog: z.object({ items: z.array(z.object({ field: z.string() })) }),
});

/** What is read of the event `issues` of GitHub; all but closing and reopening changes no state. */
const githubMessage = z.object({
  action: z.enum(['closed', 'reopened']),
  issue: z.object({ number: z.number().int().positive(), state: z.string().max(50), updated_at: z.iso.datetime({ offset: true }) }),
  repository: z.object({ full_name: z.string().max(255) }),
});

/** What is read of GitLab's issue events; times come as ISO 8601 or as `2030-01-01 00:00:00 UTC`. */
const gitlabMessage = z.object({
  object_kind: z.literal('issue'),
  object_attributes: z.object({
    iid: z.number().int().positive(),
    state: z.string().max(50),
    action: z.enum(['close', 'reopen']),
    updated_at: z
      .string()
      .max(50)
      .transform((at) => Date.parse(at))
      .pipe(z.number().int().nonnegative()),
  }),
  project: z.object({ path_with_namespace: z.string().max(255) }),
});

/** Whether the header holds the secret itself, which is all that GitLab sends; in a time that tells nothing of it. */
function isSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

const HOOKS: readonly TrackerHook[] = [
  {
    kind: 'jira',
    description: 'Where the webhook of Jira posts to, signed with the hook_secret of the integration (X-Hub-Signature).',
    signatureHeader: 'x-hub-signature',
    formerPath: '/api/hooks/jira/:id',
    isSigned: hasHubSignature,
    moveIn(message) {
      const { data } = jiraMessage.safeParse(message);
      if (!data?.changelog.items.some(({ field }) => field === 'status')) return null;
      const { key, fields } = data.issue;
      return { ticket_id: key, ticket_status: fields.status.name, at: data.timestamp };
    },
  },
  {
    kind: 'github',
    description:
      'Where a webhook of a GitHub repository posts issues to, signed with the hook_secret of the integration (X-Hub-Signature-256).',
    signatureHeader: 'x-hub-signature-256',
    isSigned: hasHubSignature,
    moveIn(message) {
      const { data } = githubMessage.safeParse(message);
      if (!data) return null;
      const { number, state, updated_at } = data.issue;
      return { ticket_id: String(number), project: data.repository.full_name, ticket_status: state, at: Date.parse(updated_at) };
    },
  },
  {
    kind: 'gitlab',
    description:
      'Where a webhook of a GitLab project posts issue events to, with the hook_secret of the integration as its secret token (X-Gitlab-Token).',
    signatureHeader: 'x-gitlab-token',
    isSigned: (_body, signature, secret) => isSecret(signature, secret),
    moveIn(message) {
      const { data } = gitlabMessage.safeParse(message);
      if (!data) return null;
      const { iid, state, updated_at } = data.object_attributes;
      return { ticket_id: String(iid), project: data.project.path_with_namespace, ticket_status: state, at: updated_at };
    },
  },
];

/** Webhooks of trackers: a change of a ticket's status becomes a job. The id is the integration's. */
export const trackerHooks: readonly EngineHook[] = HOOKS.map(({ moveIn, ...hook }) => ({
  ...hook,
  async find({ database, masterKey }, id) {
    // no session names the tenant here: the integration's random id does, once the signature holds
    const row = await database.system(integrations).findOne({ _id: id });
    if (row?.kind !== hook.kind || (await isEnded(database, row.tenant_id))) return null;
    return { secret: openCredentials(masterKey, row as IntegrationRow<TrackerHook['kind']>).hook_secret, auth: integrationAuth(row) };
  },
  jobOf(id, body) {
    const message = jsonOf(body.toString('utf8'));
    if (message === undefined) throw badRequest('The body is not valid JSON');
    const move = moveIn(message);
    return move && { kind: TICKET_STATUS_JOB, payload: { integration_id: id, ...move } };
  },
}));
