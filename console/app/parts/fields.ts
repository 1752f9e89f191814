import type { ComponentChildren } from 'preact';

/** What a form holds while it is filled in. */
export type Value = string | boolean | readonly string[];
export type Values = Readonly<Record<string, Value>>;

/** A field of a form, as data: how it is asked for, and where it goes in the body of the call. */
export interface Field {
  /** Its place in the body: `settings.url`. */
  readonly name: string;
  readonly label: string;
  /** `lines` is a list, one entry a line; `many` a list of some of its options. */
  readonly kind: 'text' | 'secret' | 'long' | 'number' | 'date' | 'flag' | 'choice' | 'many' | 'lines';
  /** What can be chosen, or what is proposed for a text. */
  readonly options?: readonly string[];
  /** Options in words; where it says nothing they are shown as they are. */
  readonly words?: (option: string) => string;
  readonly hint?: string;
  readonly isNeeded?: boolean;
  /** What is told below it, of what is filled in. */
  readonly below?: (values: Values) => ComponentChildren;
  /** What is sent where it is empty; nothing is without it. */
  readonly whenEmpty?: null;
  /** What it begins with where nothing is set. */
  readonly initial?: Value;
  /** Whether it is only known of what there is, by which others are asked for: it is neither asked for nor sent. */
  readonly isHeld?: boolean;
  /** Whether it is asked for, with what the others hold. */
  readonly when?: (values: Values) => boolean;
}

/** The fields that are asked for now. */
export const shownOf = (fields: readonly Field[], values: Values): Field[] =>
  fields.filter(({ when, isHeld }) => !isHeld && (!when || when(values)));

const at = (row: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined),
      row,
    );

function valueIn({ name, kind, initial }: Field, row: unknown): Value {
  const value = at(row, name) ?? initial;
  if (kind === 'flag') return value === true;
  if (kind === 'many' || kind === 'lines') return Array.isArray(value) ? value.map(String) : [];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return kind === 'date' ? text.slice(0, 10) : text;
}

/** What a form begins with: what there is already, and where it says nothing what a new one begins with. */
export const valuesOf = (fields: readonly Field[], row: unknown): Values =>
  Object.fromEntries(fields.map((field) => [field.name, valueIn(field, row)]));

/** What is sent of a field; undefined where nothing is. */
function sentOf({ kind, whenEmpty }: Field, value: Value | undefined): unknown {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object') return value.map((line) => line.trim()).filter(Boolean);
  const text = value?.trim() ?? '';
  if (text === '') return whenEmpty;
  if (kind === 'number') return Number(text);
  return kind === 'date' ? `${text}T00:00:00.000Z` : text;
}

/** The body of the call: the fields that are asked for, each at its place. */
export function bodyOf(fields: readonly Field[], values: Values): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of shownOf(fields, values)) {
    const value = sentOf(field, values[field.name]);
    if (value === undefined) continue;
    const path = field.name.split('.');
    const last = path.pop()!;
    let inner = body;
    // what stands at a place before its last name was made here, an object
    for (const name of path) inner = (inner[name] ??= {}) as Record<string, unknown>;
    inner[last] = value;
  }
  return body;
}

const isEmpty = (value: Value | undefined): boolean =>
  value === undefined ||
  (typeof value === 'string' ? value.trim() === '' : typeof value === 'object' && value.every((line) => line.trim() === ''));

/** Whether all that has to be filled in is. */
export const isFilled = (fields: readonly Field[], values: Values): boolean =>
  shownOf(fields, values).every(({ name, isNeeded }) => !isNeeded || !isEmpty(values[name]));
