import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { derivedRules } from '../../catalog/derived.js';
import { facetOf } from '../../catalog/facets.js';
import type { StandingFinding } from '../../kit/read/open-findings.js';
import { SEVERITIES, type Severity } from '../../schema/model.js';
import { COMBINATIONS } from '../../subgraphs/cnapp/combination.js';
import { KINDS, NEIGHBOURS, type NeighbourName, type Subject } from '../../subgraphs/cnapp/estate.js';
import { matchCombination } from '../../subgraphs/cnapp/match.js';
import { shownEvidence } from '../../subgraphs/cnapp/evidence.js';
import { engines } from '../../subgraphs/index.js';

type Given = Record<string, unknown>;
interface Fixture extends Record<string, Given | string> {
  self: Given;
  not: string;
}
const fixtures = load(readFileSync(join(process.cwd(), 'test/cnapp/combinations.yaml'), 'utf8')) as Record<string, Fixture>;

const findingOf = (words: string, resource_uid: string): StandingFinding => {
  const [engine, ...said] = words.split(' ');
  return {
    engine: engine!,
    finding_id: `${words} on ${resource_uid}`,
    rule_id: said.find((word) => word.startsWith('palisade-')) ?? 'a-rule',
    severity: SEVERITIES.find((one) => said.includes(one)) ?? ('medium' satisfies Severity),
    resource_uid,
    known_exploited: said.includes('kev') ? true : null,
    is_secret: said.includes('secret'),
  };
};

function subjectOf(name: string, given: Given): Subject {
  const told = <T>(member: string): T | null => (given[member] as T | undefined) ?? null;
  return {
    ...{ resource_uid: name, resource_type: 'a_type', resource_name: null, provider: 'aws', account_id: null, region: 'global' },
    views: Object.fromEntries(KINDS.flatMap((kind) => (given[kind] ? [[kind, given[kind]]] : []))),
    exposure: told('exposure'),
    environment: told('environment'),
    criticality: told('criticality'),
    data: told<string[]>('data') ?? [],
    findings: (told<(string | null)[]>('findings') ?? []).flatMap((words) => (words ? [findingOf(words, name)] : [])),
  };
}

const matched = (id: string, { not: _, ...estate }: Fixture) =>
  matchCombination(COMBINATIONS.get(id)!, subjectOf('self', estate.self), (name) =>
    estate[name] ? [subjectOf(name, estate[name] as Given)] : [],
  );

/** The fixture without what stands at a path. */
function without(fixture: Fixture): Fixture {
  const left = structuredClone(fixture);
  const path = fixture.not.split('.');
  const last = path.pop()!;
  const holder = path.reduce<Given>((at, member) => at[member] as Given, left);
  expect(Object.keys(holder)).toContain(last);
  delete holder[last];
  return left;
}

it('has an example of every combination, of which there are many', () => {
  expect(Object.keys(fixtures).sort()).toEqual([...COMBINATIONS.keys()].sort());
  expect(COMBINATIONS.size).toBeGreaterThanOrEqual(40);
});

it.each(Object.entries(fixtures))('%s is told where all of its parts are, and nowhere else', (id, fixture) => {
  const { parts } = COMBINATIONS.get(id)!;
  const found = matched(id, fixture)!;
  expect(found.map(({ says }) => says)).toEqual(parts.map(({ says }) => says));
  for (const [n, part] of parts.entries())
    expect(found[n]).toMatchObject({
      resource_uids: [part.at ?? 'self'],
      finding_ids: part.finding ? [expect.stringContaining(' on ')] : [],
    });
  expect(matched(id, without(fixture))).toBeNull();
  for (const name of Object.keys(NEIGHBOURS) as NeighbourName[])
    if (fixture[name]) expect(matched(id, { ...fixture, [name]: {} } as Fixture)).toBeNull();
});

it('every combination speaks of fields, engines and rules that there are', () => {
  const known = new Set(
    ['keys', 'databases', 'stores', 'ports', 'identities', 'unused-identities', 'entitlements'].flatMap((file) => [
      ...derivedRules(file).keys(),
    ]),
  );
  const wrong = [...COMBINATIONS.values()].flatMap(({ rule_id, on, parts }) =>
    parts.flatMap(({ at, kind, where = {}, finding }) => {
      const kinds = at === undefined ? on : kind === undefined ? [] : [kind];
      return [
        ...Object.keys(where).filter((field) => kinds.length === 0 || kinds.some((one) => facetOf(one).fields[field] === undefined)),
        ...(finding?.engines ?? []).filter((name) => !engines.some((engine) => engine.name === name && engine.findings)),
        ...(finding?.rules ?? []).filter((rule) => !known.has(rule)),
      ].map((what) => `${rule_id}: ${what}`);
    }),
  );
  expect(wrong).toEqual([]);
});

it('one flaw more or less severe than asked for, or of another engine, is no part', () => {
  const with_ = (findings: string[]) =>
    matched('palisade-public-critical-administrator', {
      ...fixtures['palisade-public-critical-administrator']!,
      self: { workload: {}, exposure: 'public', findings },
    });
  expect(with_(['vulnerability high'])).toBeNull();
  expect(with_(['secops critical'])).toBeNull();
  expect(with_(['vulnerability critical', 'vulnerability critical two'])![1]!.finding_ids).toHaveLength(2);
});

it('of engines that the caller may not read evidence tells the kind of part alone', () => {
  const sources = matched('palisade-public-known-exploited', fixtures['palisade-public-known-exploited']!)!;
  const shown = shownEvidence({ combination: 'x', sources }, (engine) => engine === 'network-security');
  expect(shown['sources']).toEqual([
    sources[0],
    {
      says: 'A vulnerability of it is known to be exploited.',
      engine: 'vulnerability',
      resource_uids: [],
      finding_ids: [],
      restricted: true,
    },
  ]);
  expect(shownEvidence({ issue_id: '1' }, () => false)).toEqual({ issue_id: '1' });
});
