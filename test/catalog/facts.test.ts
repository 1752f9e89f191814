import { factFaults, factsOf, readFactFiles } from '../../catalog/facts.js';
import { facetSources } from '../../catalog/facets.js';
import { Facet } from '../../catalog/facet.js';
import { mergedFacts, type Fact } from '../../schema/facts.js';
import type { Observation } from '../../schema/observations.js';
import { weighedFacts } from '../../subgraphs/di/facts/weigh.js';
import { toldExposure } from '../../subgraphs/network-security/exposures/told.js';

const NOON = new Date('2026-01-01T12:00:00Z');
const LATER = new Date('2026-01-02T12:00:00Z');
const observed = (
  rule_id: string,
  result: Observation['result'],
  more: Partial<Pick<Observation, 'source' | 'severity'>> = {},
): Observation => ({
  ...{ rule_id, result, source: 'prowler', engine: 'check', title: rule_id, severity: 'high', position: '[0]', evidence: {} },
  ...{ resource_uid: 'arn:aws:s3:::logs', resource_type: 'aws_s3_bucket', provider: 'aws', region: 'eu-west-1' },
  ...more,
});
const fact = (value: Fact['value'], at: Date, failed: boolean): Fact => ({ value, at, failed, source: 'prowler', rule_id: 'check' });

it('the files of facts name fields of facets and values that these have, and most of the facets that people ask for', () => {
  const told = new Set([...readFactFiles().values()].flatMap(({ checks }) => Object.values(checks).flatMap((paths) => Object.keys(paths))));
  for (const facet of ['identity', 'data_store', 'database', 'key', 'workload', 'cluster', 'image', 'exposure'])
    expect([...told].some((path) => path.startsWith(`${facet}.`))).toBe(true);
});

it.each([
  ['data_store.shiny', true, 'no field of a facet'],
  ['bucket.public', true, 'no field of a facet'],
  ['data_store.public', 'yes', 'cannot be yes'],
  ['key.state', 'lost', 'cannot be lost'],
  ['exposure.22', 'public', 'no opening'],
  ['exposure.any', true, 'cannot be true'],
  ['data.pii', true, 'no class of data'],
  ['data.personal', 'yes', 'cannot be yes'],
])('%s: %s is a mistake of a file', (path, fail, mistake) => {
  expect(factFaults('x.yaml', { sources: ['x'], checks: { a: { [path]: { fail } } } })).toEqual([expect.stringContaining(mistake)]);
});

it('a failure and a pass tell what their file says, with their source and time; of other checks and scanners nothing is told', () => {
  const told = (value: boolean, failed: boolean) => ({
    data_store: { public: { value, failed, source: 'prowler', rule_id: 's3_bucket_public_access', at: NOON } },
  });
  expect(factsOf(observed('s3_bucket_public_access', 'FAIL'), NOON)).toEqual(told(true, true));
  expect(factsOf(observed('s3_bucket_public_access', 'PASS'), NOON)).toEqual(told(false, false));
  expect(factsOf(observed('s3_bucket_public_list_acl', 'PASS'), NOON)).toBeUndefined();
  expect(factsOf(observed('s3_bucket_public_access', 'FAIL', { source: 'other' }), NOON)).toBeUndefined();
  expect(factsOf(observed('constructor', 'FAIL'), NOON)).toBeUndefined();
});

it('an open port counts at the severity by which the check says that a public address is in front of it', () => {
  const of = (severity: Observation['severity']) =>
    factsOf(observed('ec2_instance_port_ssh_exposed_to_internet', 'FAIL', { severity }), NOON);
  expect(of('critical')).toMatchObject({ exposure: { 'tcp/22': { value: 'public' } } });
  expect(of('medium')).toBeUndefined();
});

it('of two facts the later counts, and of one time the failure, in either order', () => {
  const [failed, passed] = [{ data_store: { public: fact(true, NOON, true) } }, { data_store: { public: fact(false, NOON, false) } }];
  expect(mergedFacts(failed, passed)).toEqual(failed);
  expect(mergedFacts(passed, failed)).toEqual(failed);
  const later = { data_store: { public: fact(false, LATER, false) }, key: { rotates: fact(true, NOON, false) } };
  expect(mergedFacts(failed, later)).toEqual(later);
  expect(mergedFacts(later, failed)).toEqual(later);
});

it('a fact fills what the inventory leaves open, and goes before a plan, a state and what was looked at earlier', () => {
  const facet = new Facet(facetSources().find(({ name }) => name === 'data_store')!);
  const publicOf = (configuration: Record<string, unknown> | null, format?: string, observed_at?: Date) =>
    facet.evaluate({
      ...{
        resource_uid: 'arn:aws:s3:::logs',
        resource_type: 'aws_s3_bucket',
        resource_name: 'logs',
        provider: 'aws',
        account_id: null,
        region: 'x',
      },
      ...{ configuration, unknown_paths: [], sensitive_paths: [] },
      ...weighedFacts(
        { data_store: { public: fact(false, NOON, false) } },
        { source: format ? { format, address: 'a' } : null, observed_at: observed_at ?? null },
      ),
    })['public'];
  expect(publicOf(null)).toBe(false);
  expect(publicOf({ bucket: 'logs' }, 'aws_answers', LATER)).toBe(false);
  expect(publicOf({ acl: 'public-read' }, 'aws_answers', LATER)).toBe(true);
  expect(publicOf({ acl: 'public-read' }, 'aws_answers', new Date(0))).toBe(false);
  expect(publicOf({ acl: 'public-read' }, 'terraform_plan', LATER)).toBe(false);
  expect(publicOf({ acl: 'public-read' }, 'tfstate', LATER)).toBe(false);
});

it('the exposure is that of the widest opening, and one closed port does not make a resource private', () => {
  const of = (openings: Record<string, Fact>) => toldExposure({ exposure: openings });
  expect(of({ 'tcp/22': fact('public', NOON, true), any: fact('private', NOON, false) })).toMatchObject({
    exposure: 'public',
    ports: [{ protocol: 'tcp', from: 22, to: 22 }],
    path: [{ kind: 'scanner', rule: 'check', outcome: 'allowed', reason: expect.stringContaining('2026-01-01T12:00:00.000Z') }],
  });
  expect(of({ any: fact('private', NOON, false) })).toMatchObject({ exposure: 'private', path: [{ outcome: 'stopped' }] });
  expect(of({ 'tcp/22': fact('private', NOON, false) })).toBeNull();
  expect(toldExposure(null)).toBeNull();
});
