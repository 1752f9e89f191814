import type { ControlReference } from '../types.js';

/** CWE ids named anywhere in texts such as `external/cwe/cwe-079`, `CWE-89: SQL Injection`; in `CWE-79` form, each once. */
export function findCwes(texts: readonly string[]): string[] {
  return collect(texts, /\bcwe[-_: ]{0,2}0*(\d{1,5})\b/gi, (id) => `CWE-${id}`);
}

/** CVE ids named anywhere in texts, each once. */
export function findCves(texts: readonly string[]): string[] {
  if (!texts.some((text) => text.includes('CVE-'))) return [];
  return collect(texts, /\bCVE-(\d{4}-\d{4,})\b/g, (id) => `CVE-${id}`);
}

/** MITRE ATT&CK technique ids (`T1190`, `T1552.001`) named in texts, each once. */
export function findTechniques(texts: readonly string[]): string[] {
  return collect(texts, /\b(T\d{4}(?:\.\d{3})?)\b/g, (id) => id);
}

/** CWE ids as controls of the framework `CWE`. */
export function cweControls(cwes: readonly string[]): ControlReference[] {
  return cwes.map((id) => ({ framework: 'CWE', control_id: id }));
}

/** Categories of an OWASP Top 10 that texts name with its year (`A03:2021 - Injection`), as controls, each once. */
export function owaspControls(texts: readonly string[]): ControlReference[] {
  const controls = new Map<string, ControlReference>();
  for (const text of texts) {
    const [, id, year, name] = /\b(A\d{1,2}):(20\d\d)(?:\s*[-–]\s*(.+))?/.exec(text) ?? [];
    if (id === undefined || year === undefined || controls.has(id + year)) continue;
    const named = name === undefined ? {} : { control_name: name.trim() };
    controls.set(id + year, { framework: `OWASP Top 10 ${year}`, control_id: id, ...named });
  }
  return [...controls.values()];
}

/** Tactics of MITRE ATT&CK Enterprise by name, in lower case without spaces. */
const TACTICS: Readonly<Record<string, string>> = {
  reconnaissance: 'TA0043',
  resourcedevelopment: 'TA0042',
  initialaccess: 'TA0001',
  execution: 'TA0002',
  persistence: 'TA0003',
  privilegeescalation: 'TA0004',
  defenseevasion: 'TA0005',
  credentialaccess: 'TA0006',
  discovery: 'TA0007',
  lateralmovement: 'TA0008',
  collection: 'TA0009',
  commandandcontrol: 'TA0011',
  exfiltration: 'TA0010',
  impact: 'TA0040',
};

/** The id of a tactic by its name in any spelling. */
export function tacticId(name: string): string | undefined {
  const key = name.toLowerCase().replace(/[^a-z]/g, '');
  return Object.hasOwn(TACTICS, key) ? TACTICS[key] : undefined;
}

function collect(texts: readonly string[], pattern: RegExp, name: (id: string) => string): string[] {
  if (texts.length === 0) return [];
  const found = new Set<string>();
  for (const text of texts) for (const match of text.matchAll(pattern)) found.add(name(match[1] as string));
  return [...found];
}
