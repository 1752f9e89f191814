import type { ComponentInput } from '../../../schema/artifacts.js';

/** Ecosystems in whose names `-`, `_` and `.` are the same (PEP 503). */
const ALIKE = /[-_.]+/g;
/** Longest text that is searched for. */
const LONGEST = 300;

/** The name under which components of an ecosystem are looked up: alike however it is spelt. */
export function nameKey(name: string, ecosystem: string | null | undefined): string {
  const lower = name.toLowerCase().slice(0, LONGEST);
  return ecosystem === 'pypi' ? lower.replace(ALIKE, '-') : lower;
}

/** The names that a person may look for: the whole one and what stands behind its namespace, in lower case. */
export function namesOf({ name, ecosystem }: Pick<ComponentInput, 'name' | 'ecosystem'>): string[] {
  const key = nameKey(name, ecosystem);
  return [
    ...new Set([key, name.toLowerCase().slice(0, LONGEST), key.slice(Math.max(key.lastIndexOf('/'), key.lastIndexOf(':')) + 1)]),
  ].filter((one) => one !== '');
}

/** The licenses by which a component is found: the expression, and each that it names, in lower case. */
export function licenseKeys(licenses: readonly string[] = []): string[] {
  const keys = licenses.flatMap((license) => {
    const lower = license.toLowerCase().slice(0, LONGEST);
    const parts = / (?:or|and|with) /.test(lower) ? lower.split(/\s+(?:or|and|with)\s+|[()]/).map((part) => part.trim()) : [];
    return [lower, ...parts];
  });
  return [...new Set(keys)].filter((key) => key !== '').slice(0, 50);
}
