import { domainObservable, hashObservable, LONGEST_URL, ofUrl, sourceOf, type Observable } from './observables.js';

/** What is looked for in content: digests of files and images alone, or addresses, domains and URLs as well. */
export type Shown = 'digests' | 'all';

/** Values of one content that are looked at, and how deep they may lie. */
const MOST_VALUES = 20;
const DEEPEST = 12;

/** A digest with its algorithm before it, alone or behind what it is of: `sha256:...`, `ghcr.io/shop/cart@sha256:...`. */
const NAMED_DIGEST = /(?:^|@)(?:sha-?(?:1|256|512)|md5):([0-9a-f]{32,128})$/i;
/** Names of members that hold digests in hex. */
const DIGEST_NAMES = /hash|digest|checksum|md5|sha-?_?(?:1|256|512)/i;
const HEX_DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;
const DOMAIN_NAMES = /domain/i;
const URL_START = /^https?:\/\//i;

/** What indicators may name of what is said of a resource, each once, in the order in which it stands there. */
export function shownIn(content: unknown, shown: Shown): Observable[] {
  const found = new Map<string, Observable>();
  for (const one of valuesOf(content, '', shown, 0)) {
    if (found.size >= MOST_VALUES) break;
    found.set(`${one.kind}|${one.value}`, one);
  }
  return [...found.values()];
}

function* valuesOf(value: unknown, name: string, shown: Shown, depth: number): Generator<Observable> {
  if (typeof value === 'string') yield* ofText(value, name, shown);
  else if (depth === DEEPEST || typeof value !== 'object' || value === null) return;
  else if (Array.isArray(value)) for (const one of value) yield* valuesOf(one, name, shown, depth + 1);
  else for (const [member, one] of Object.entries(value)) yield* valuesOf(one, member, shown, depth + 1);
}

function ofText(text: string, name: string, shown: Shown): Observable[] {
  if (text.length > LONGEST_URL) return [];
  const digest = digestIn(text, name);
  if (digest !== undefined) return [hashObservable(digest)];
  if (shown === 'digests') return [];
  if (URL_START.test(text)) return URL.canParse(text) ? ofUrl(text) : [];
  return DOMAIN_NAMES.test(name) ? domainIn(text) : sourceOf(text);
}

function digestIn(text: string, name: string): string | undefined {
  if (text.length < 32) return undefined;
  const digest = NAMED_DIGEST.exec(text)?.[1] ?? (DIGEST_NAMES.test(name) ? text : undefined);
  return digest !== undefined && HEX_DIGEST.test(digest) ? digest : undefined;
}

function domainIn(text: string): Observable[] {
  try {
    return [domainObservable(text)];
  } catch {
    return [];
  }
}
