import { Mismatch } from './scalars.js';

const TAG = /^(?:(?:W\/)?"(\d{1,9})"|(\d{1,9}))$/;

/**
 * The version that an If-Match header names: `"3"`, `W/"3"` or a bare `3` (RFC 9110, 13.1.1; the bare form is a courtesy).
 * @throws Mismatch for a list, `*`, or anything that is not a version
 */
export function readEntityTag(text: string): number {
  const [, quoted, bare] = TAG.exec(text.trim()) ?? [];
  const version = quoted ?? bare;
  if (version === undefined) throw new Mismatch('must be one entity tag with a version, for example "3"');
  return Number(version);
}

const versionIn = (value: unknown): number | null => {
  const version = typeof value === 'object' && value !== null ? (value as { version?: unknown }).version : undefined;
  return Number.isInteger(version) ? (version as number) : null;
};

/** The ETag of an answer: of its own `version`, or of the `version` of its `header` (a finding's detail); null when it has none. */
export function entityTagOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const version = versionIn(value) ?? versionIn((value as { header?: unknown }).header);
  return version === null ? null : `"${version}"`;
}
