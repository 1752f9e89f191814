import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { controlsOfRule, loadFrameworks, rulesOfControl } from '../catalog/assessed.js';
import { loadCatalog } from '../catalog/catalog.js';
import { edgeLines } from '../catalog/edges.js';
import { facetSources } from '../catalog/facets.js';
import type { FacetSource } from '../catalog/facet-files.js';
import type { Framework } from '../catalog/frameworks.js';
import { expandFamilies } from '../catalog/expand.js';
import { readFamilies } from '../catalog/families.js';
import { findProfile, profileNames } from '../catalog/profiles.js';
import type { ExpandedRule, Rule } from '../catalog/types.js';
import { EDGE_KINDS, PROVIDERS, SEVERITIES } from '../schema/model.js';
import { isAnswerableLive, isForScans } from './answerable.js';

// Prints the numbers of the catalog as markdown. With --write they go to docs/catalog-stats.md; with --check it ends with 1 when that file
// says something else. Run from the root of the project.
const { values } = parseArgs({ options: { write: { type: 'boolean' }, check: { type: 'boolean' } }, strict: true });
const FILE = join('docs', 'catalog-stats.md');

type Cell = string | number;
const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map((_, i) => (i === 0 ? '---' : '--:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Rules by two of their members, with totals at the right and at the bottom. @param isSplit whether a rule is of one row; the totals at the bottom say nothing else */
function crossTable<R extends Rule>(
  rules: readonly R[],
  first: string,
  names: readonly string[],
  rowOf: (rule: R) => string,
  columnOf: (rule: R) => string,
  columns: readonly string[],
  isSplit = true,
): string {
  const counts = new Map<string, number>();
  for (const rule of rules) {
    const key = `${rowOf(rule)} ${columnOf(rule)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const row = (name: string): number[] => columns.map((column) => counts.get(`${name} ${column}`) ?? 0);
  const rows = names.map((name) => [name, ...row(name), sum(row(name))]);
  const totals = columns.map((column) => sum(names.map((name) => counts.get(`${name} ${column}`) ?? 0)));
  return table([first, ...columns, 'all'], isSplit ? [...rows, ['all', ...totals, rules.length]] : rows);
}

interface Coverage {
  id: string;
  controls: number;
  mapped: number;
  planned: number;
  manual: number;
}

function coverageOf({ framework_id, controls, providers }: Framework): Coverage {
  return {
    id: framework_id,
    controls: controls.length,
    mapped: controls.filter((control) => rulesOfControl(control, providers).length > 0).length,
    planned: controls.filter(({ planned }) => planned !== undefined).length,
    manual: controls.filter(({ manual }) => manual !== undefined).length,
  };
}

/** Types that a facet covers, by provider. */
const coveredTypes = ({ lines }: FacetSource, provider: string): number =>
  sum(lines.map((line) => (line.provider === provider ? line.type.length : 0)));

/** The share of a facet's fields, but derived ones, that the lines of a provider map. */
function mappedFields({ fields, lines }: FacetSource, providers: readonly string[]): string {
  const own = lines.filter(({ provider }) => providers.includes(provider));
  const names = Object.keys(fields).filter((name) => fields[name]!.derived === undefined);
  return percent(sum(own.map((line) => names.filter((name) => name in line.fields).length)), own.length * names.length);
}

/** The weighty rules of a provider: how many there are, and how many a scan answers; of all, and of those that are for scans. */
function answerableRow(rules: readonly ExpandedRule[], provider: string): Cell[] {
  const own = rules.filter((rule) => rule.provider === provider && ['critical', 'high'].includes(rule.severity));
  const answered = own.filter(isAnswerableLive);
  const forScans = own.filter(isForScans);
  return [
    provider,
    own.length,
    answered.length,
    percent(answered.length, own.length),
    percent(answered.filter(isForScans).length, forScans.length),
  ];
}

function statistics(): string {
  const { rules } = loadCatalog();
  const samples = expandFamilies(readFamilies('catalog/families', []), []);
  const frameworks = loadFrameworks();
  const families = [...new Set(rules.map(({ family }) => family))].sort();
  const mapped = rules.filter((rule) => controlsOfRule(rule).length > 0).length;
  const coverage = frameworks.map(coverageOf);
  const assessable = ({ controls, manual }: Coverage): number => controls - manual;
  const half = coverage.filter((one) => assessable(one) > 0 && one.mapped / assessable(one) >= 0.5).length;
  const total = (member: 'controls' | 'mapped' | 'planned' | 'manual'): number => sum(coverage.map((one) => one[member]));
  const wholly = { id: 'all', controls: total('controls'), mapped: total('mapped'), planned: total('planned'), manual: total('manual') };
  return `# The catalog in numbers

Written by \`npm run catalog:stats -- --write\`.

${rules.length} rules of ${families.length} families; ${mapped} of them (${percent(mapped, rules.length)}) assess a control of a framework.
${half} of ${frameworks.length} frameworks have rules for at least half of the controls that configuration can assess.

## Rules by provider and severity

${crossTable(
  rules,
  'provider',
  PROVIDERS,
  ({ provider }) => provider,
  ({ severity }) => severity,
  SEVERITIES,
)}

## Rules that scans answer

Critical and high rules whose samples a scan of a connected account tells well enough to judge them. The last column is of the rules for scans: those that look for no secret which people have written
out, as no interface tells it again, and not for a type whose things are told as those of another type (\`importers/cloud/tables/untold.yaml\` has both, and the types that wait).

${table(
  ['provider', 'rules', 'answered', 'share', 'share of those for scans'],
  PROVIDERS.map((provider) => answerableRow(samples, provider)),
)}

## Rules by family and provider

${crossTable(
  rules,
  'family',
  families,
  ({ family }) => family,
  ({ provider }) => provider,
  PROVIDERS,
)}

## Profiles

Rules that raise findings where a tenant, or \`palisade check\`, chooses a profile; frameworks are profiles, too.

${crossTable(
  profileNames().flatMap((name) => rules.filter((rule) => findProfile(name)!.has(rule)).map((rule) => ({ ...rule, profile: name }))),
  'profile',
  profileNames(),
  ({ profile }) => profile,
  ({ provider }) => provider,
  PROVIDERS,
  false,
)}

## Facets

Resource types that a facet covers, and the share of its fields that their lines map.

${table(
  ['facet', ...PROVIDERS, 'all'],
  facetSources().map((facet) => [
    facet.name,
    ...PROVIDERS.map((provider) => `${coveredTypes(facet, provider)} (${mappedFields(facet, [provider])})`),
    `${sum(PROVIDERS.map((provider) => coveredTypes(facet, provider)))} (${mappedFields(facet, PROVIDERS)})`,
  ]),
)}

## Edges

Attributes of resource types that make an edge of a kind. What Kubernetes' objects refer to is read with the manifest.

${table(
  ['kind', ...PROVIDERS, 'all'],
  EDGE_KINDS.filter((kind) => edgeLines().some((line) => line.kind === kind)).map((kind) => {
    const own = edgeLines().filter((line) => line.kind === kind);
    return [kind, ...PROVIDERS.map((provider) => own.filter((line) => line.provider === provider).length), own.length];
  }),
)}

## Frameworks

Assessable are the controls that are not manual.

${table(
  ['framework', 'controls', 'mapped', 'planned', 'manual', 'mapped of assessable'],
  [...coverage, wholly].map((one) => [one.id, one.controls, one.mapped, one.planned, one.manual, percent(one.mapped, assessable(one))]),
)}
`;
}

function written(): string | undefined {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return undefined;
  }
}

const text = statistics();
if (values.write) writeFileSync(FILE, text);
else if (!values.check) process.stdout.write(text);
else if (written() !== text) {
  console.error(`${FILE} is stale: run npm run catalog:stats -- --write`);
  process.exitCode = 1;
}
