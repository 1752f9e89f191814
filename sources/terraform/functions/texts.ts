import { createHash } from 'node:crypto';
import { load } from 'js-yaml';
import { fromPlain, isMap, MAX_ELEMENTS, MAX_TEXT, toJson, toText, type Value } from '../value.js';
import { FAILS, type FunctionTable, type TerraformFunction } from './kinds.js';

const onText =
  (change: (text: string) => Value): TerraformFunction =>
  ([value]) => {
    const text = value === undefined ? undefined : toText(value);
    return text === undefined ? undefined : change(text);
  };
const onTexts =
  (change: (...texts: string[]) => ReturnType<TerraformFunction>): TerraformFunction =>
  (args) => {
    const texts = args.map(toText);
    return texts.every((text) => text !== undefined) ? change(...texts) : undefined;
  };
const digest = (name: string, encoding: 'hex' | 'base64'): TerraformFunction =>
  onText((text) => createHash(name).update(text).digest(encoding));

/** A verb of Go's fmt, as Terraform's `format` has them. */
const VERB = /%(?:(%)|([-+# 0]*)(\d*)(?:\.(\d+))?([a-z]))/gi;

function format(template: Value | undefined, args: readonly Value[]): string | undefined {
  if (typeof template !== 'string') return undefined;
  let at = 0;
  let isWhole = true;
  const made = template.replaceAll(VERB, (_all, percent?: string, flags = '', width = '', precision?: string, verb = '') => {
    if (percent !== undefined) return '%';
    const value = args[at++];
    const text = value === undefined ? undefined : verbText(value, verb, precision);
    if (text === undefined || Number(width) > 1_000) isWhole = false;
    const size = Math.min(Number(width), 1_000);
    return flags.includes('-') ? (text ?? '').padEnd(size) : (text ?? '').padStart(size, flags.includes('0') ? '0' : ' ');
  });
  return isWhole ? made : undefined;
}

function verbText(value: Value, verb: string, precision: string | undefined): string | undefined {
  if (verb === 'f' && typeof value === 'number') return value.toFixed(Math.min(Number(precision ?? 6), 100));
  if ((verb === 'x' || verb === 'X' || verb === 'b' || verb === 'o') && typeof value === 'number') {
    const text = value.toString(verb === 'b' ? 2 : verb === 'o' ? 8 : 16);
    return verb === 'X' ? text.toUpperCase() : text;
  }
  if (verb === 'q') return JSON.stringify(toText(value) ?? '');
  return toText(value) ?? (value === null ? 'null' : toJson(value));
}

function formatList(args: readonly Value[]): Value[] | undefined {
  const [template, ...rest] = args;
  const length = Math.max(...rest.map((arg) => (Array.isArray(arg) ? arg.length : 1)));
  const made = Array.from({ length }, (_, n) =>
    format(
      template,
      rest.map((arg) => (Array.isArray(arg) ? (arg[n] ?? null) : arg)),
    ),
  );
  return rest.length > 0 && made.every((text) => text !== undefined) ? made : undefined;
}

/** Only a text: patterns of others would have to be run with care. */
const replace = onTexts((text, from = '', to = '') => {
  if (from.length > 1 && from.startsWith('/') && from.endsWith('/')) return undefined;
  const made = text.replaceAll(from, () => to);
  return made.length > MAX_TEXT ? undefined : made;
});

const trimmed = (text: string, characters: string, start: boolean, end: boolean): string => {
  const cut = new Set(characters);
  const letters = [...text];
  let [from, to] = [0, letters.length];
  while (start && from < to && cut.has(letters[from]!)) from += 1;
  while (end && to > from && cut.has(letters[to - 1]!)) to -= 1;
  return letters.slice(from, to).join('');
};

const parsed = (parse: (text: string) => unknown): TerraformFunction =>
  onTexts((text) => {
    try {
      return fromPlain(parse(text));
    } catch {
      return FAILS;
    }
  });

export const texts: FunctionTable = {
  shallow: {},
  whole: {
    upper: onText((text) => text.toUpperCase()),
    lower: onText((text) => text.toLowerCase()),
    title: onText((text) => text.replace(/(^|\s)(\S)/g, (_, before: string, letter: string) => before + letter.toUpperCase())),
    trimspace: onText((text) => text.trim()),
    chomp: onText((text) => text.replace(/[\r\n]+$/, '')),
    strrev: onText((text) => [...text].toReversed().join('')),
    trim: onTexts((text, cut = '') => trimmed(text, cut, true, true)),
    trimprefix: onTexts((text, prefix = '') => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
    trimsuffix: onTexts((text, suffix = '') => (suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text)),
    startswith: onTexts((text, prefix = '') => text.startsWith(prefix)),
    endswith: onTexts((text, suffix = '') => text.endsWith(suffix)),
    strcontains: onTexts((text, part = '') => text.includes(part)),
    replace,
    join: ([separator, ...lists]) => {
      const parts = lists.flatMap((arg) => (Array.isArray(arg) ? arg : [arg])).map(toText);
      return typeof separator === 'string' && parts.every((part) => part !== undefined) ? parts.join(separator) : undefined;
    },
    split: onTexts((separator, text = '') => (text === '' ? [] : text.split(separator).slice(0, MAX_ELEMENTS))),
    substr: ([text, offset, length]) => {
      if (typeof text !== 'string' || typeof offset !== 'number' || typeof length !== 'number') return undefined;
      const letters = [...text];
      const from = offset < 0 ? Math.max(0, letters.length + offset) : offset;
      return letters.slice(from, length < 0 ? undefined : from + length).join('');
    },
    indent: ([spaces, text]) =>
      typeof spaces === 'number' && typeof text === 'string' && spaces <= 200
        ? text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
        : undefined,
    format: ([template, ...args]) => format(template, args),
    formatlist: (args) => formatList(args),
    base64encode: onText((text) => Buffer.from(text).toString('base64')),
    base64decode: onText((text) => Buffer.from(text, 'base64').toString()),
    urlencode: onText((text) => encodeURIComponent(text).replaceAll('%20', '+')),
    jsondecode: parsed((text) => JSON.parse(text) as unknown),
    yamldecode: parsed((text) => load(text)),
    md5: digest('md5', 'hex'),
    sha1: digest('sha1', 'hex'),
    sha256: digest('sha256', 'hex'),
    sha512: digest('sha512', 'hex'),
    base64sha256: digest('sha256', 'base64'),
    tostring: ([value]) => (value === null ? null : value === undefined || isMap(value) || Array.isArray(value) ? FAILS : toText(value)),
    tonumber: ([value]) => {
      if (value === null || typeof value === 'number') return value;
      return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : FAILS;
    },
    tobool: ([value]) =>
      value === null || typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : FAILS,
  },
};
