import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const word = z.string().regex(/^[a-z0-9][a-z0-9_-]*$/);
const CLASSES = z
  .array(z.strictObject({ class: word, words: z.array(word).min(1) }))
  .parse(load(readFileSync(new URL('./data-classes.yaml', import.meta.url), 'utf8')));
const CLASS_OF = new Map(CLASSES.flatMap(({ class: name, words }) => [name, ...words].map((one) => [one, name] as const)));

/** The classes of data, those whose loss is worst first. */
export const DATA_CLASSES: readonly string[] = CLASSES.map(({ class: name }) => name);

/** Every word for a class of data, in lower case. */
export const DATA_CLASS_WORDS: readonly string[] = [...CLASS_OF.keys()];

/** The class of data that a word means; null where it means none. */
export const dataClassOf = (text: string): string | null => CLASS_OF.get(text) ?? null;

/** The classes of data that words mean, those whose loss is worst first. */
export const dataClassesOf = (words: readonly string[]): string[] =>
  DATA_CLASSES.filter((name) => words.some((one) => CLASS_OF.get(one) === name));
