import type { IngestRun } from '../../kit/engine/finding-sink.js';
import type { FindingFacts } from '../../kit/engine/finding-facts.js';
import { contentOf, mergeContent, newFinding } from '../../kit/findings/merge.js';
import type { Observation } from '../../schema/observations.js';

const run = (scan_run_id: string): IngestRun => ({ scan_run_id, at: new Date('2030-01-01T00:00:00Z'), format: 'sarif' });
const contentFor = (provider: Observation['provider'], inferred: boolean) =>
  contentOf({} as FindingFacts, run('run'), {
    engine: 'secops',
    result: 'FAIL',
    rule_id: 'rule',
    title: 'A title',
    severity: 'low',
    resource_uid: 'repo',
    resource_type: 'code_repository',
    provider,
    region: 'global',
    evidence: {},
    provider_metadata: inferred ? { provider_inferred: true } : {},
  } as Observation).content;

const stored = newFinding('tenant', 'secops', { id: 'f'.repeat(32), artifactIds: [] }, run('first'), contentFor('aws', true));

it('the provider of what runs in no cloud never changes afterwards, and the same report again changes nothing', () => {
  expect(mergeContent(run('second'), stored, contentFor('gcp', true))).toBeNull();
  const changed = mergeContent(run('second'), stored, { ...contentFor('gcp', true), content_hash: 'another', title: 'Another' });
  expect(changed).toMatchObject({ provider: 'aws', title: 'Another', version: 2 });
});

it('a provider that a report names is taken', () => {
  expect(mergeContent(run('second'), stored, contentFor('gcp', false))).toMatchObject({ provider: 'gcp', version: 2 });
});
