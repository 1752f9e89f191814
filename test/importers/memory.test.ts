import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const MEGABYTE = 1024 ** 2;

/** What memory-child.ts prints. */
interface Taken {
  counts: Record<string, number>;
  seconds: number;
  peakMegabytes: number;
}

const ocsfFinding = (id: number) =>
  JSON.stringify({
    metadata: { event_code: `check_${id % 400}`, product: { name: 'Prowler' } },
    severity: 'High',
    status: 'New',
    status_code: id % 3 === 0 ? 'PASS' : 'FAIL',
    status_detail: `Bucket bucket-${id} is as it should not be.`,
    class_uid: 2004,
    finding_info: { title: `Check ${id % 400}`, desc: 'A check of buckets. '.repeat(20), uid: `prowler-${id}` },
    resources: [{ uid: `arn:aws:s3:::bucket-${id}`, type: 'AwsS3Bucket', region: 'eu-west-1', data: { metadata: 'x'.repeat(1200) } }],
    cloud: { provider: 'aws', account: { uid: '123456789012' } },
    risk_details: 'A risk that is told at length. '.repeat(15),
  });

const sarifResult = (id: number) =>
  JSON.stringify({
    ruleId: `rule-${id % 300}`,
    message: { text: `Finding ${id}. ${'It is told at length. '.repeat(40)}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: `src/file-${id % 5000}.ts` },
          region: { startLine: id, snippet: { text: `const a${id} = ${id} + call()` } },
        },
      },
    ],
    partialFingerprints: { primaryLocationLineHash: `${id}:1` },
    codeFlows: [{ note: 'y'.repeat(1200) }],
  });

/** Writes a report of about `megabytes` and returns how many records it has. */
function generate(path: string, megabytes: number, before: string, record: (id: number) => string, after: string): number {
  const fd = openSync(path, 'w');
  let written = writeSync(fd, before);
  let id = 0;
  while (written < megabytes * MEGABYTE) {
    const block: string[] = [];
    for (let i = 0; i < 500; i++, id++) block.push(`${id === 0 ? '' : ','}${record(id)}`);
    written += writeSync(fd, block.join(''));
  }
  writeSync(fd, after);
  closeSync(fd);
  return id;
}

describe('a report of 200 MB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-memory-'));
  const script = join(folder, 'child.mjs');
  beforeAll(() => {
    const options = ['--bundle', '--platform=node', '--format=esm', '--log-level=error', `--outfile=${script}`];
    execFileSync(join(ROOT, 'node_modules/.bin/esbuild'), [join(ROOT, 'test/importers/memory-child.ts'), ...options]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['ocsf', '[', ocsfFinding, ']'],
    ['sarif', '{"version":"2.1.0","runs":[{"results":[', sarifResult, '],"tool":{"driver":{"name":"x"}}}]}'],
  ])(
    'of %s is read within 300 MB of memory',
    (format, before, record, after) => {
      const path = join(folder, `${format}.json`);
      const records = generate(path, 200, before, record, after);
      // packages that are not bundled are required from where they are installed
      const env = { ...process.env, NODE_PATH: join(ROOT, 'node_modules') };
      const output = execFileSync(process.execPath, ['--max-old-space-size=160', script, format, path], { encoding: 'utf8', env });
      rmSync(path);
      const { counts, peakMegabytes } = JSON.parse(output) as Taken;
      expect(counts).toMatchObject({ record: records, observation: records });
      expect(peakMegabytes).toBeLessThan(300);
      if (process.env.SHOW_FIGURES !== undefined) process.stdout.write(`${format} ${records} records: ${output}\n`);
    },
    600_000,
  );
});
