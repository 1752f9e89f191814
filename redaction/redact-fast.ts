import { FORM_TRIGGERS, SUSPECT } from './secret-forms.js';
import { isSecretPair, keyTraits } from './secret-keys.js';
import { decodeText, redactText, redactValue, STATES } from './redact.js';

/** Part of every name of a secret, for assignments in text. */
const NAME_TRIGGERS =
  /pass|pwd|secret|token|key|cred|kube|conn|docker|cookie|bearer|psk|seed|salt|signature|codes|protected|hash|cert|auth/i;
const ASSIGNS = /=|:\s|["']\s{0,4}:|(?:^|[^\w-])--?[a-z]/i;
const BASE64 = /^[A-Za-z0-9+/\s]{24,}={0,2}$/;

/** Whether `redactText` could find something in a text; quick, and true where in doubt. */
function mayHoldSecret(text: string): boolean {
  if (text.length < 4) return false;
  if (FORM_TRIGGERS.test(text) || SUSPECT.test(text)) return true;
  return (
    (NAME_TRIGGERS.test(text) && (ASSIGNS.test(text) || STATES.test(text))) ||
    (BASE64.test(text) && decodeText(text) !== undefined) ||
    /^\s*[[{"]/.test(text)
  );
}

/** The same as `redactText`, many times faster for the texts that have nothing to mask. */
export function maskText(text: string): string {
  return mayHoldSecret(text) ? redactText(text) : text;
}

/** The same as `redactValue`, but returns the value itself where nothing in it could be a secret, and of an object what its keys hold that is harmless as it is. */
export function maskValue<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !saysNothing(value))
    return isHarmless(value, 0) ? value : redactValue(value);
  const object = value as Readonly<Record<string, unknown>>;
  let masked: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    if (isHarmless(object[key], 1)) continue;
    masked ??= { ...object };
    masked[key] = redactValue({ [key]: object[key] })[key];
  }
  return (masked ?? object) as T;
}

/** Whether the keys of an object say nothing of what they hold, so that each value is masked by itself. */
function saysNothing(value: object): boolean {
  const object = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(object);
  return !keys.some((key) => key === '__proto__' || isTold(key)) && !isSecretPair(object, keys);
}

function isTold(key: string): boolean {
  const { secret, material, leaks } = keyTraits(key);
  return secret || material || leaks;
}

function isHarmless(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return !mayHoldSecret(value);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (depth > 50) return false;
  if (Array.isArray(value)) return value.every((item) => isHarmless(item, depth + 1));
  const object = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(object);
  for (const key of keys) {
    if (isTold(key) || !isHarmless(object[key], depth + 1)) return false;
  }
  return !isSecretPair(object, keys);
}
