import { mutate } from '../../bench/mutate.js';
import { Random } from '../../bench/random.js';
import { readMutated, seedOf } from '../../bench/read-mutated.js';
import { importers } from '../../importers/index.js';
import { expectedOf, fixture } from './fixtures.js';

/** Of each format; `npm run bench -- mutations` makes thousands. */
const MUTATIONS = 12;

it.each(importers.map((format) => [format.name, format] as const))(
  'reports of %s as nobody meant them are read or refused, and nothing else',
  async (name, format) => {
    const random = new Random(seedOf(name, 1));
    const reports = Object.keys(expectedOf(name).reports).map((report) => fixture(name, report));
    for (let n = 0; n < MUTATIONS; n++) {
      const outcome = await readMutated(format, mutate(random, random.of(reports)));
      expect([n, outcome]).toEqual([n, expect.objectContaining({ kind: expect.stringMatching(/^(?:read|refused)$/) as string })]);
    }
  },
);

it('a value that calls its parts as methods are called is no text, and ends no import', async () => {
  const format = importers.find(({ name }) => name === 'pip_audit')!;
  const trap = { toString: 'x', valueOf: null };
  const report = { dependencies: [{ name: trap, version: trap, vulns: [{ id: 'PYSEC-2019-217', aliases: [], fix_versions: [] }] }] };
  expect(await readMutated(format, Buffer.from(JSON.stringify(report)))).toEqual({ kind: 'read', broken: 1, truncated: 0 });
});

it('such a value where a report tells what its records share is none either', async () => {
  const trap = { toString: 'x', valueOf: null };
  const eslint = [{ filePath: trap, messages: [{ ruleId: 'no-eval', severity: 2, message: 'eval can be harmful.', line: 1 }] }];
  const gitlab = {
    version: '15.0.0',
    vulnerabilities: [],
    scan: { type: 'dependency_scanning' },
    dependency_files: [{ path: trap, package_manager: trap }],
  };
  for (const [name, report] of Object.entries({ eslint, gitlab })) {
    const format = importers.find((one) => one.name === name)!;
    expect(await readMutated(format, Buffer.from(JSON.stringify(report)))).toMatchObject({ kind: 'read' });
  }
});

it('such a value for the time of a report tells none', async () => {
  const format = importers.find(({ name }) => name === 'docker_bench')!;
  const tests = [{ id: '1', desc: 'Host', results: [{ id: '1.1', desc: 'Partition', result: 'WARN' }] }];
  for (const end of [{ toString: 'x', valueOf: null }, [{ toString: null }]])
    expect(await readMutated(format, Buffer.from(JSON.stringify({ dockerbenchsecurity: '1.6.0', start: 1, tests, end })))).toMatchObject({
      kind: 'read',
    });
});

it('a rule that is called as a secret is has no secret in its name', async () => {
  const format = importers.find(({ name }) => name === 'wizcli')!;
  const matches = [{ resourceName: 'aws_s3_bucket[logs]', fileName: 'main.tf', lineNumber: 3, fileType: 'TERRAFORM' }];
  const report = {
    scanOriginResource: { __typename: 'CICDScanOriginIAC', name: 'x' },
    result: { ruleMatches: [{ rule: { name: 'Password in URL (postgres://postgres:hunter2pass@db:5432/shop)' }, matches }] },
  };
  expect(await readMutated(format, Buffer.from(JSON.stringify(report)))).toEqual({ kind: 'read', broken: 0, truncated: 0 });
});

it('a bill with nothing for a relationship, or without a word for its version, is read with the rest of it', async () => {
  const format = importers.find(({ name }) => name === 'spdx')!;
  const packages = [null, { SPDXID: 'SPDXRef-a', name: 'a', versionInfo: '1.0' }];
  const report = { spdxVersion: ' ', SPDXID: 'SPDXRef-DOCUMENT', documentDescribes: ['SPDXRef-a'], packages, relationships: [null, 1] };
  expect(await readMutated(format, Buffer.from(JSON.stringify(report)))).toEqual({ kind: 'read', broken: 1, truncated: 0 });
});

it('a document of YAML with aliases by the thousand is broken, before they are resolved', async () => {
  const format = importers.find(({ name }) => name === 'kubernetes')!;
  const pod = (aliases: number) =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nx:\n${'- &a [*a]\n'.repeat(aliases)}---\napiVersion: v1\nkind: Pod\nmetadata: { name: b }\n`;
  expect(await readMutated(format, Buffer.from(pod(3_000)))).toEqual({ kind: 'read', broken: 1, truncated: 0 });
});
