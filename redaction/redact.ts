import { SECRET_FORM, SUSPECT, flatten, isSecretValue } from './secret-forms.js';
import {
  LOOSE_ENTRY,
  NO_TRAITS,
  REDACTED,
  SECRET_TRAITS,
  findSecretPaths,
  isInnocent,
  isSecretKey,
  isSecretLeaf,
  isSecretPair,
  isUnder,
  keyTraits,
  parseNested,
} from './secret-keys.js';
import type { KeyTraits } from './secret-keys.js';

/** Deeper than this a value is cut off with the marker. */
const MAX_DEPTH = 100;
const MAX_PASSES = 5;

const FORMS = new RegExp(SECRET_FORM, 'g');
const KEY_BLOCK = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----[\s\S]*?(?:-----END \1-----|$)/g;
const ASSIGNMENT = /(?<![\w.$/-])(-{0,2}[A-Za-z_][\w.-]{1,80})(\s{0,8}=\s{0,8}|\s{0,2}:\s{1,8})(\\{0,4}["'`]?)([^\s"'`,;&|<>\\]{3,400})/g;
const FLAG = /(?<![\w-])(--?[a-z][\w-]{1,60})(\s{1,4})(["']?)(?!-)([^\s"']{3,400})/gi;
/** A cheap test for what may be such a statement. */
export const STATES = /\s(?:is|are|was|equals?|contains|value|to|be|not)\s{1,4}(?:["'`]|[^\s"'`]{0,400}\d)/i;
/** What scanners say of a value: `'aws_db_instance.main.password' is 'hunter2'`, `admin_password set to "hunter2"`. */
const STATEMENT =
  /(?<![\w.$/-])((["'`]?)([A-Za-z_][\w.[\]{}-]{1,200})\2)(\s{1,4}(?:(?:is|are|was|should be|must be)(?: not)?(?: (?:set|equal) to)?|(?:should|must) not be(?: (?:set|equal) to)?|equals?|contains|has(?: the)? value|(?:set|equal) to)\s{1,4})(["'`]?)((?<=["'`])[^"'`\r\n]{3,400}(?=["'`])|[^\s"'`,;]{3,400})/gi;
const COOKIE = /((?:set-)?cookie["']?\s?[:=]\s?)([^\r\n]{1,8192})/gi;
const COOKIE_ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
/** Code that fetches a value where one could stand: `var.password`, `os.environ[`, `getSecret(`. */
const CODE =
  /^(?:var|local|data|module|each|self|this|process|os|env|config|settings|params|args|request|options|aws_\w+|azurerm_\w+|google_\w+)[.[(]|^[\w.]+\(/;

function hidesAssignment(key: string, joint: string, quote: string, value: string): boolean {
  if (!isSecretKey(key.replace(/^-+/, '')) || isInnocent(value) || value.startsWith('[')) return false;
  if (quote !== '') return true;
  if (value.startsWith('$') || value.startsWith('{') || value.startsWith('%') || CODE.test(value)) return false;
  // `password: must be long` is prose; `password: hunter2` is not.
  return joint.includes('=') || /[^A-Za-z.]/.test(value.replace(/[.,)]+$/, ''));
}

/** Whether a statement tells a secret: of a value that is not quoted, only where its key is one and no word of prose, and it is no word either. */
function tellsSecret(nameQuote: string, name: string, quote: string, value: string): boolean {
  const steps = name.split(/[.[\]{}]+/).filter((step) => step !== '');
  if (!isSecretKey(steps.at(-1) ?? '') || isInnocent(value) || CODE.test(value)) return false;
  if (quote !== '') return true;
  return (nameQuote !== '' || /[._[]/.test(name)) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

function maskCookies(cookies: string): string {
  return cookies.replace(/([^=;,\s"']{1,100})=([^;,\s"']{4,})/g, (pair: string, name: string) =>
    COOKIE_ATTRIBUTE.test(name) ? pair : `${name}=${REDACTED}`,
  );
}

function maskOnce(text: string, formed: boolean): string {
  let masked = formed ? text.replace(KEY_BLOCK, REDACTED).replace(FORMS, REDACTED) : text;
  // The cheap tests spare most texts the costly patterns.
  if (/["']\s{0,4}[:=]/.test(masked)) {
    masked = masked.replace(LOOSE_ENTRY, (entry: string, _quote: string, key: string, value: string) =>
      isSecretLeaf(value, keyTraits(key), false) ? entry.slice(0, entry.length - value.length) + REDACTED : entry,
    );
  }
  if (/=|:\s/.test(masked)) {
    masked = masked.replace(ASSIGNMENT, (entry: string, key: string, joint: string, quote: string, value: string) =>
      hidesAssignment(key, joint, quote, value) ? key + joint + quote + REDACTED : entry,
    );
  }
  if (masked.includes('-') && /\s/.test(masked)) {
    masked = masked.replace(FLAG, (entry: string, flag: string, joint: string, quote: string, value: string) =>
      hidesAssignment(flag, '=', quote, value) ? flag + joint + quote + REDACTED : entry,
    );
  }
  if (STATES.test(masked)) {
    masked = masked.replace(
      STATEMENT,
      (entry: string, _key: string, nameQuote: string, name: string, _joint: string, quote: string, value: string) =>
        tellsSecret(nameQuote, name, quote, value) ? entry.slice(0, entry.length - value.length) + REDACTED : entry,
    );
  }
  return /cookie/i.test(masked) ? masked.replace(COOKIE, (_line, start: string, cookies: string) => start + maskCookies(cookies)) : masked;
}

/**
 * Masks secrets inside free text with `[REDACTED]`: key blocks, access key ids, tokens, passwords in addresses, assignments and flags
 * (`password=...`, `--token ...`), authorization headers and cookies. Prose, references and code that fetches a secret stay.
 */
export function redactText(text: string): string {
  if (/^[\w.-]{0,14}$/.test(text)) return text;
  let formed = SECRET_FORM.test(text);
  let masked = text;
  // Full-width and zero-width characters are undone only where they hide something.
  if (!formed && SUSPECT.test(text) && SECRET_FORM.test(flatten(text))) {
    formed = true;
    masked = flatten(text);
  }
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = maskOnce(masked, formed || pass > 0);
    if (next === masked) return masked;
    masked = next;
  }
  return findSecretPaths(masked).length > 0 ? REDACTED : masked;
}

/** Text that base64 hides, as in user data and cloud-init; undefined where it is not text. */
export function decodeText(text: string): string | undefined {
  const compact = text.replace(/\s+/g, '');
  if (compact.length < 24 || compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return undefined;
  const decoded = Buffer.from(compact, 'base64').toString('utf8');
  return /(?![\t\n\r])\p{Cc}|\ufffd/u.test(decoded) ? undefined : decoded;
}

function redactString(text: string, traits: KeyTraits, under: boolean, depth: number): string {
  const nested = parseNested(text);
  let result = text;
  if (nested !== undefined) {
    const inner = redact(nested, traits, under, depth + 1);
    const [before, after] = [JSON.stringify(nested), JSON.stringify(inner)];
    if (before !== after) result = after;
    if (isSecretValue(result)) result = redactText(result);
  } else {
    const decoded = decodeText(text);
    result = decoded !== undefined && redactString(decoded, traits, under, depth + 1) !== decoded ? REDACTED : redactText(text);
  }
  return result !== text && findSecretPaths(result).length > 0 ? REDACTED : result;
}

function redactArray(items: readonly unknown[], under: boolean, depth: number): unknown[] {
  return items.map((item, i) => {
    const before = items[i - 1];
    // Arguments of a command: `["--password", "..."]`.
    const isArgument =
      typeof before === 'string' && typeof item === 'string' && /^--?[A-Za-z][\w-]{1,60}$/.test(before) && !item.startsWith('-');
    const secret = under || (isArgument && isSecretKey(before.replace(/^-+/, '')));
    return redact(item, secret ? SECRET_TRAITS : NO_TRAITS, under, depth + 1);
  });
}

function redactObject(object: Readonly<Record<string, unknown>>, under: boolean, depth: number): Record<string, unknown> {
  const keys = Object.keys(object);
  const pair = isSecretPair(object, keys);
  const taken = new Map<string, unknown>();
  for (const key of keys) {
    let traits = keyTraits(key);
    let name = key;
    if (traits.leaks) {
      // Two keys that are secrets must not become one; and a key that is gone describes nothing.
      for (let i = 1; i === 1 || taken.has(name); i++) name = i === 1 ? REDACTED : `${REDACTED} ${i}`;
      traits = { ...traits, descriptive: false };
    }
    const value = object[key];
    if (value !== undefined) taken.set(name, redact(value, pair && traits.pairValue ? SECRET_TRAITS : traits, under, depth + 1));
  }
  // Object.fromEntries defines properties: a key `__proto__` stays a key.
  return Object.fromEntries(taken);
}

function redact(value: unknown, traits: KeyTraits, under: boolean, depth: number): unknown {
  if (typeof value === 'string')
    return isSecretLeaf(value, traits, under) || depth > MAX_DEPTH ? REDACTED : redactString(value, traits, under, depth);
  if (typeof value === 'number') return isSecretLeaf(value, traits, under) ? REDACTED : value;
  if (typeof value === 'bigint') return redact(String(value), traits, under, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return REDACTED;
  if (value instanceof Date) return value.toJSON();
  const inside = isUnder(traits, under);
  if (Array.isArray(value)) return redactArray(value, inside, depth);
  return redactObject(value as Record<string, unknown>, inside, depth);
}

/**
 * A deep copy without secrets: what stands under a secret key, in a `{Key, Value}` pair with a secret name, or looks like a secret is
 * `[REDACTED]`, also inside JSON and base64 in strings. Everything else stays. The result always passes `findSecretPaths`.
 * `path` says where the value stands (`evidence.password`), for a value that is no object's.
 */
export function redactValue<T>(value: T, path = ''): T {
  const key = path.split('.').at(-1) ?? '';
  return redact(value, keyTraits(key.replace(/\[\d+\]$/, '')), false, 0) as T;
}
