import { z } from 'zod';
import { FINDING_STATUSES, SEVERITIES } from '../../../schema/model.js';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
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

const site = address.refine((url) => !/[?#]/.test(url), 'must have no query and no fragment').transform((url) => url.replace(/\/+$/, ''));

const SETTINGS = {
  jira: z.strictObject({
    url: site,
    project: z.string().regex(/^[A-Z][A-Z0-9_]{1,19}$/, 'must be the key of a project, such as SEC'),
    issue_type: text(1, 100).default('Task'),
    labels: z
      .array(z.string().regex(/^[^\s]{1,100}$/, 'must be 1 to 100 characters without spaces'))
      .max(10)
      .default([]),
    status_mapping: z
      .array(z.strictObject({ ticket_status: text(1, 100), finding_status: z.enum(FINDING_STATUSES) }))
      .max(50)
      .default([
        { ticket_status: 'To Do', finding_status: 'OPEN' },
        { ticket_status: 'In Progress', finding_status: 'IN_PROGRESS' },
        { ticket_status: 'Done', finding_status: 'RESOLVED' },
      ]),
    priority_mapping: z
      .array(z.strictObject({ severity: z.enum(SEVERITIES), priority: text(1, 100) }))
      .max(5)
      .default([
        { severity: 'critical', priority: 'Highest' },
        { severity: 'high', priority: 'High' },
        { severity: 'medium', priority: 'Medium' },
        { severity: 'low', priority: 'Low' },
        { severity: 'info', priority: 'Lowest' },
      ]),
    comment_on_resolve: z.boolean().default(true),
  }),
  slack: z.strictObject({}),
  email: z.strictObject({ recipients: z.array(z.email().max(254)).min(1).max(50) }),
  webhook: z.strictObject({ url: address }),
} satisfies { [Kind in IntegrationKind]: z.ZodType<KindSettings[Kind]> };

const CREDENTIALS = {
  jira: z.strictObject({ username: z.email().max(254).optional(), token: secret(8), hook_secret: secret(16).optional() }),
  slack: z.strictObject({ url: address }),
  email: z.strictObject({}),
  webhook: z.strictObject({
    secret: z
      .string()
      .regex(/^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'must be whsec_ and base64 of 24 to 64 bytes'),
  }),
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
