import { parseTime } from '../../readers/time.js';
import { BrokenRecord, compact, requireText, type JsonObject } from '../../readers/json/fields.js';

/** A user of the report, as Terraform names it, with what only the report tells beside. */
export interface ReportedUser {
  name: string;
  account: string | undefined;
  values: Record<string, unknown>;
}

const ARN = /^arn:[\w-]+:iam::(\d{12}):(?:user\/.+|root)$/;
/** How many keys and signing certificates a user can have. */
const NUMBERS = [1, 2];

/** @throws BrokenRecord for a row that names no user */
export function userOf(row: JsonObject): ReportedUser {
  const name = requireText(row, 'user');
  const arn = requireText(row, 'arn');
  const account = ARN.exec(arn)?.[1];
  if (account === undefined) throw new BrokenRecord('arn is none of a user');
  const keys = NUMBERS.flatMap((number) => keyOf(row, number));
  const certificates = NUMBERS.flatMap((number) => certificateOf(row, number));
  const password = {
    password_enabled: flagAt(row, 'password_enabled'),
    password_last_used: timeAt(row, 'password_last_used'),
    password_last_changed: timeAt(row, 'password_last_changed'),
    password_next_rotation: timeAt(row, 'password_next_rotation'),
  };
  const uses = [password.password_last_used, ...keys.map(({ last_used_date }) => last_used_date)];
  const last = uses
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
  const values = {
    ...{ id: name, name, arn, create_date: timeAt(row, 'user_creation_time'), mfa_active: flagAt(row, 'mfa_active') },
    ...password,
    ...{ active_access_keys: keys.filter(({ active }) => active).length, access_keys: keys, signing_certificates: certificates },
    last_used_date: last,
  };
  return { name, account, values: compact(values) };
}

/** A key that there is: one that was never made is not active and has no time at which it was. */
function keyOf(row: JsonObject, number: number) {
  const at = (column: string) => `access_key_${number}_${column}`;
  const active = flagAt(row, at('active')) === true;
  const last_rotated = timeAt(row, at('last_rotated'));
  if (!active && last_rotated === undefined) return [];
  const last_used_date = timeAt(row, at('last_used_date'));
  const used = {
    last_used_date,
    last_used_region: toldAt(row, at('last_used_region')),
    last_used_service: toldAt(row, at('last_used_service')),
  };
  return [{ number, active, ...(last_rotated && { last_rotated }), ...used }];
}

function certificateOf(row: JsonObject, number: number) {
  const active = flagAt(row, `cert_${number}_active`) === true;
  const last_rotated = timeAt(row, `cert_${number}_last_rotated`);
  return active || last_rotated !== undefined ? [{ number, active, ...(last_rotated && { last_rotated }) }] : [];
}

/** What a cell tells: `N/A`, `no_information` and `not_supported` tell nothing. */
function toldAt(row: JsonObject, column: string): string | undefined {
  const text = String(row[column] ?? '').trim();
  return text === '' || /^(?:n\/a|no_information|not_supported)$/i.test(text) ? undefined : text;
}

const timeAt = (row: JsonObject, column: string): string | undefined => parseTime(toldAt(row, column))?.toISOString();

function flagAt(row: JsonObject, column: string): boolean | undefined {
  const text = toldAt(row, column)?.toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : undefined;
}
