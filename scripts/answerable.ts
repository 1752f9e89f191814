import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { sampleVerdict } from '../catalog/samples.js';
import type { ExpandedRule } from '../catalog/types.js';
import { toldTypes } from '../importers/cloud/told.js';
import type { Provider } from '../schema/model.js';

type Plain = Readonly<Record<string, unknown>>;
interface Told {
  readonly paths: ReadonlySet<string>;
  readonly blocks: ReadonlySet<string>;
  readonly isListed: boolean;
}

const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);
const UNTOLD = new URL('../importers/cloud/tables/untold.yaml', import.meta.url);
const untold = load(readFileSync(UNTOLD, 'utf8')) as Readonly<
  Record<string, { told_as: Readonly<Record<string, string>>; unasked?: readonly string[] } | undefined>
>;
const known = new Map<Provider, ReadonlyMap<string, Told>>();

/** What scans tell of each type of a provider. */
function toldBy(provider: Exclude<Provider, 'k8s'>): ReadonlyMap<string, Told> {
  const before = known.get(provider);
  if (before !== undefined) return before;
  const made = new Map<string, { paths: Set<string>; blocks: Set<string>; isListed: boolean }>();
  const unasked = untold[provider]?.unasked ?? [];
  for (const { type, paths, blocks, never, isListed } of [...toldTypes(provider), ...(provider === 'azure' ? toldTypes('entra') : [])]) {
    if (unasked.includes(type)) continue;
    const told = made.get(type) ?? { paths: new Set(), blocks: new Set(), isListed: false };
    told.isListed ||= isListed;
    for (const path of [...paths, ...never]) told.paths.add(path);
    for (const block of blocks) told.blocks.add(block);
    made.set(type, told);
  }
  known.set(provider, made);
  return made;
}

/** A configuration as a scan would have it: without what it does not tell; what it tells and is not there is known to be absent. */
function asScanned(value: Plain, told: Told, before = ''): Record<string, unknown> {
  const names = [...told.paths].filter((path) => path.startsWith(before)).map((path) => path.slice(before.length));
  return Object.fromEntries(
    names
      .filter((name) => !name.includes('.'))
      .map((name) => {
        const [path, own] = [before + name, value[name] ?? null];
        if (!told.blocks.has(path)) return [name, own];
        const inner = (one: unknown): unknown => (isPlain(one) ? asScanned(one, told, `${path}.`) : one);
        return [name, Array.isArray(own) ? (own as unknown[]).map(inner) : inner(own)];
      }),
  );
}

const BESIDE = /\b(?:companions|resources)\(asset, (?:"([^"]+)"|\[([^\]]+)\])/g;

/**
 * Whether a scan of the provider answers a rule: of what it tells of the rule's samples, the one passes and the other fails. Objects of Kubernetes are told whole.
 */
export function isAnswerableLive(rule: ExpandedRule): boolean {
  const { provider, resource_types, samples, expression } = rule;
  if (provider === 'k8s') return true;
  const types = toldBy(provider);
  const told = resource_types.map((type) => types.get(type)).find((one) => one !== undefined);
  const beside = [...expression.matchAll(BESIDE)].flatMap(([, one, several]) => one ?? (several ?? '').replaceAll(/[" ]/g, '').split(','));
  if (told === undefined || !beside.every((type) => types.has(type))) return false;
  const listed = [...types].flatMap(([type, of]) => (of.isListed ? [type] : []));
  const open = ['*', ...[...told.blocks].map((block) => `${block}.*`)];
  const verdict = ({ $companions, ...configuration }: Plain): string =>
    sampleVerdict(rule, { ...asScanned(configuration, told), ...($companions !== undefined && { $companions }) }, open, listed).result;
  return verdict(samples.pass) === 'PASS' && verdict(samples.fail) === 'FAIL';
}

/** Families that look for secrets which people have written out: no interface tells those again. */
const OF_SECRETS = new Set(['plaintext_secret', 'credential_in_script']);

/** Whether a rule is one for scans: it looks for no secret, and not for a type whose things are told as those of another one, which has rules of its own. */
export const isForScans = ({ family, provider, resource_types }: ExpandedRule): boolean =>
  !OF_SECRETS.has(family) && !resource_types.every((type) => type in (untold[provider]?.told_as ?? {}));
