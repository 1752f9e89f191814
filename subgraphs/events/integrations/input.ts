import { z } from 'zod';
import { FINDING_STATUSES, SEVERITIES } from '../../../schema/model.js';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import { accessKeyId, bucketFields, bucketPrefix, secretAccessKey } from '../../../kit/outbound/bucket-fields.js';
import type { PriorityMapping, StatusMapping } from '../channels/tracker.js';
import type { IntegrationKind, IntegrationRow, KindCredentials, KindSettings } from './records.js';
import { setMembers } from '../../../kit/base/set-members.js';

/** What a client says of an integration; a change leaves out what stays. */
export interface IntegrationInput {
  kind?: IntegrationKind;
  name?: string | null;
  state?: IntegrationRow['state'] | null;
  settings?: Record<string, unknown> | null;
  credentials?: Record<string, unknown> | null;
}

const text = (least: number, most: number) => z.string().trim().min(least).max(most);
const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2_000);
const secret = (least: number) => z.string().min(least).max(4_000);

/** A token as it stands in a header. */
const header = secret(8).regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');
/** Basic authentication ends a user's name at the first colon. */
const userName = text(1, 200).refine((name) => !name.includes(':'), 'must have no colon');

const site = address.refine((url) => !/[?#]/.test(url), 'must have no query and no fragment').transform((url) => url.replace(/\/+$/, ''));

const labels = (form: RegExp, message: string) => z.array(z.string().regex(form, message)).max(10).default([]);
const statusMapping = (standard: StatusMapping) =>
  z
    .array(z.strictObject({ ticket_status: text(1, 100), finding_status: z.enum(FINDING_STATUSES) }))
    .max(50)
    .default(standard);
const priorityMapping = (standard: PriorityMapping, priority = text(1, 100)) =>
  z
    .array(z.strictObject({ severity: z.enum(SEVERITIES), priority }))
    .max(5)
    .default(standard);
/** What severities are called, worst first. */
const named = (...names: string[]): PriorityMapping => names.map((priority, n) => ({ severity: SEVERITIES[n]!, priority }));
const comment_on_resolve = z.boolean().default(true);

/** Issues of a repository at a forge, which calls its issues open and closed. @param segments of the repository's path at most */
const repository = (standardSite: string, segments: number, open: string) =>
  z.strictObject({
    url: site.default(standardSite),
    project: z
      .string()
      .max(255)
      .regex(new RegExp(`^[\\w.-]+(?:/[\\w.-]+){1,${segments - 1}}$`), 'must be the path of a repository, such as acme/shop')
      .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), 'must be the path of a repository'),
    labels: labels(/^(?! )[^,\p{C}]{1,50}(?<! )$/u, 'must be 1 to 50 characters without commas'),
    status_mapping: statusMapping([
      { ticket_status: open, finding_status: 'OPEN' },
      { ticket_status: 'closed', finding_status: 'RESOLVED' },
    ]),
    priority_mapping: priorityMapping([]),
    comment_on_resolve,
  });

const SETTINGS = {
  jira: z.strictObject({
    url: site,
    project: z.string().regex(/^[A-Z][A-Z0-9_]{1,19}$/, 'must be the key of a project, such as SEC'),
    issue_type: text(1, 100).default('Task'),
    labels: labels(/^[^\s]{1,100}$/, 'must be 1 to 100 characters without spaces'),
    status_mapping: statusMapping([
      { ticket_status: 'To Do', finding_status: 'OPEN' },
      { ticket_status: 'In Progress', finding_status: 'IN_PROGRESS' },
      { ticket_status: 'Done', finding_status: 'RESOLVED' },
    ]),
    priority_mapping: priorityMapping(named('Highest', 'High', 'Medium', 'Low', 'Lowest')),
    comment_on_resolve,
  }),
  github: repository('https://github.com', 2, 'open'),
  gitlab: repository('https://gitlab.com', 20, 'opened'),
  servicenow: z.strictObject({
    url: site,
    assignment_group: text(1, 100).nullable().default(null),
    priority_mapping: priorityMapping(named('1', '2', '2', '3', '3'), z.string().regex(/^[123]$/, 'must be 1, 2 or 3')),
    comment_on_resolve,
  }),
  slack: z.strictObject({}),
  teams: z.strictObject({}),
  email: z.strictObject({ recipients: z.array(z.email().max(254)).min(1).max(50) }),
  webhook: z.strictObject({ url: address }),
  s3: z.strictObject({
    url: site.nullable().default(null),
    ...bucketFields,
    prefix: bucketPrefix.default(''),
    path_style: z.boolean().default(false),
  }),
} satisfies { [Kind in IntegrationKind]: z.ZodType<KindSettings[Kind]> };

const hook_secret = secret(16).optional();
const forge = z.strictObject({ token: header, hook_secret });

const CREDENTIALS = {
  jira: z.strictObject({ username: z.email().max(254).optional(), token: header, hook_secret }),
  github: forge,
  gitlab: forge,
  servicenow: z.union(
    [
      z.strictObject({ username: userName, password: secret(1) }),
      z.strictObject({ token: header }),
      z.strictObject({ client_id: text(1, 200), client_secret: secret(8) }),
    ],
    'must be username and password, a token, or client_id and client_secret',
  ),
  slack: z.strictObject({ url: address }),
  teams: z.strictObject({ url: address }),
  email: z.strictObject({}),
  webhook: z.strictObject({
    secret: z
      .string()
      .regex(/^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'must be whsec_ and base64 of 24 to 64 bytes'),
  }),
  s3: z.strictObject({ access_key_id: accessKeyId, secret_access_key: secretAccessKey }),
} satisfies { [Kind in IntegrationKind]: z.ZodType<KindCredentials[Kind]> };

export interface CheckedIntegration {
  name: string;
  settings: KindSettings[IntegrationKind];
  credentials: KindCredentials[IntegrationKind];
}

/**
 * Checks the fields of an integration of `kind`, as a whole.
 * @throws PalisadeError VALIDATION_ERROR that names every path and no value
 */
export function checkIntegration(kind: IntegrationKind, input: IntegrationInput): CheckedIntegration {
  const parsed = z
    .object({ name: text(1, 100), settings: SETTINGS[kind], credentials: CREDENTIALS[kind] })
    .safeParse({ name: input.name, settings: setMembers(input.settings), credentials: setMembers(input.credentials) });
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error));
}

/** The settings of a change: those that are given over those that there are. */
export const mergeSettings = (before: object, change: object | null | undefined): Record<string, unknown> => ({
  ...before,
  ...setMembers(change),
});
