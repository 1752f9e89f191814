import { z } from 'zod';

/** A password or a key that an identity has. */
export interface Credential {
  /** Its name, for people, and what tells it from others of the identity. */
  name: string;
  rule_id: 'palisade-access-key-unused' | 'palisade-password-unused';
  /** When it was last used; null for never. */
  last_used_at: Date | null;
  /** Since when it could have been used; null where nobody tells. */
  since: Date | null;
}

const time = z
  .string()
  .transform((text) => new Date(text))
  .refine((date) => !Number.isNaN(date.getTime()))
  .nullish()
  .catch(null);
const flag = z.boolean().nullish().catch(null);
/** What a report of credentials adds to the configuration of a user. */
const reportedSchema = z.object({
  create_date: time,
  password_enabled: flag,
  password_last_used: time,
  password_last_changed: time,
  active_access_keys: z.number(),
  access_keys: z.array(z.object({ number: z.number(), active: flag, last_rotated: time, last_used_date: time })).default([]),
});

/** The types of users of whom reports of credentials tell. */
export const REPORTED_TYPES: readonly string[] = ['aws_iam_user'];

/** The credentials by which a user can act; undefined where no report tells them all. */
export function credentialsOf(configuration: Readonly<Record<string, unknown>> | null): Credential[] | undefined {
  const reported = reportedSchema.safeParse(configuration);
  if (!reported.success) return undefined;
  const { create_date, password_enabled, password_last_used, password_last_changed, access_keys } = reported.data;
  const password: Credential = {
    ...{ name: 'password', rule_id: 'palisade-password-unused' },
    ...{ last_used_at: password_last_used ?? null, since: password_last_changed ?? create_date ?? null },
  };
  const keys = access_keys
    .filter(({ active }) => active)
    .map(({ number, last_used_date, last_rotated }): Credential => ({
      ...{ name: `access key ${number}`, rule_id: 'palisade-access-key-unused' },
      ...{ last_used_at: last_used_date ?? null, since: last_rotated ?? create_date ?? null },
    }));
  return password_enabled === true ? [password, ...keys] : keys;
}
