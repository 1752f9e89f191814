import type { Fix } from './records.js';

/** Fixes that are kept of a CVE. */
const MOST = 50;

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The versions that fix a vulnerability, as its evidence tells them. */
export function fixesOf({ package_name, fixed_version, fixed_versions }: Readonly<Record<string, unknown>>): Fix[] {
  const several: readonly unknown[] = Array.isArray(fixed_versions) ? fixed_versions : [];
  const versions = new Set([fixed_version, ...several].flatMap((version) => textOf(version) ?? []));
  return [...versions].map((version) => ({ package_name: textOf(package_name), version }));
}

/** Fixes of both, each once, the first first. */
export function joinFixes(one: readonly Fix[], other: readonly Fix[]): Fix[] {
  const all = new Map([...one, ...other].map((fix) => [JSON.stringify([fix.package_name, fix.version]), fix]));
  return [...all.values()].slice(0, MOST);
}
