import { isItem, valuesAt, type Item } from './item.js';
import { fits } from './map.js';
import { cloudTable, type CloudTable, type Thing } from './table.js';

/** A thing of an answer: its line, the thing, where it stands in the answer, and whether a part of it is told only. */
export interface Answered {
  thing: Thing;
  item: Item;
  at: string;
  summary: boolean;
}

interface Line {
  thing: Thing;
  inner: string;
  summary: boolean;
}

interface Index {
  /** Members that are lists, and those that are a thing or hold one. */
  lists: ReadonlyMap<string, readonly Line[]>;
  members: ReadonlyMap<string, readonly Line[]>;
  whole: readonly Thing[];
}

const indexes = new Map<string, Index>();

function indexOf(provider: CloudTable['provider']): Index {
  let index = indexes.get(provider);
  if (index === undefined) {
    const lists = new Map<string, Line[]>();
    const members = new Map<string, Line[]>();
    const note = (to: Map<string, Line[]>, path: string, thing: Thing, summary: boolean): void => {
      const [head = '', ...inner] = path.split('.');
      to.set(head, [...(to.get(head) ?? []), { thing, inner: inner.join('.') || '.', summary }]);
    };
    for (const thing of cloudTable(provider).things) {
      for (const path of thing.answer) note(lists, path, thing, false);
      for (const path of thing.summary) note(lists, path, thing, true);
      for (const path of thing.one) note(members, path, thing, false);
    }
    index = { lists, members, whole: cloudTable(provider).things.filter(({ whole }) => whole.length > 0) };
    indexes.set(provider, index);
  }
  return index;
}

/** Names under which a provider answers lists of things, and things, that its table knows. */
export const answerLists = (provider: CloudTable['provider']): ReadonlyMap<string, unknown> => indexOf(provider).lists;
export const answerMembers = (provider: CloudTable['provider']): ReadonlyMap<string, unknown> => indexOf(provider).members;
/** The members by which an answer is known that is, as a whole, a thing. */
export const wholeAnswers = (provider: CloudTable['provider']): readonly (readonly string[])[] =>
  indexOf(provider).whole.map(({ whole }) => whole);

/** The things in an entry of a list, or in a member, of an answer. @param at where it stands in the report */
export function* thingsOfEntry(provider: CloudTable['provider'], name: string, entry: Item, at: string): Generator<Answered> {
  const { lists, members } = indexOf(provider);
  for (const { thing, inner, summary } of [...(lists.get(name) ?? []), ...(members.get(name) ?? [])])
    for (const [n, item] of valuesAt(entry, inner).entries())
      if (isItem(item) && fits(thing, item)) yield { thing, item, at: inner === '.' ? at : `${at}.${inner}[${n}]`, summary };
}

/** The things of a whole answer. @param at where it stands in the report */
export function* thingsOfAnswer(provider: CloudTable['provider'], answer: Item, at: string): Generator<Answered> {
  const { lists, members, whole } = indexOf(provider);
  for (const [name, value] of Object.entries(answer)) {
    if (lists.has(name) && Array.isArray(value)) {
      for (const [n, entry] of (value as unknown[]).entries())
        if (isItem(entry)) yield* thingsOfEntry(provider, name, entry, `${at}.${name}[${n}]`);
    } else if (members.has(name) && isItem(value)) yield* thingsOfEntry(provider, name, value, `${at}.${name}`);
  }
  const known = whole.find((thing) => thing.whole.every((name) => Object.hasOwn(answer, name)) && fits(thing, answer));
  if (known) yield { thing: known, item: answer, at, summary: false };
}

/** The types of which an answer tells all things that there are: those of its lists. */
export const listedTypes = (provider: CloudTable['provider'], answer: Item): string[] =>
  Object.keys(answer).flatMap((name) => (Array.isArray(answer[name]) ? listTypes(provider, name) : []));

export const listTypes = (provider: CloudTable['provider'], list: string): string[] =>
  (indexOf(provider).lists.get(list) ?? []).flatMap(({ thing, summary }) => [
    thing.type,
    ...(summary ? [] : thing.more.map(({ type }) => type)),
  ]);
