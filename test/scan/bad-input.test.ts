import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarOf, zipOf } from '../importers/make-archive.js';
import { bucket, ocsf, type PostureRecord } from '../support/reports.js';
import { openWorld, type Client, type ImportedRun, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const analyst = async () => (await world.tenant()).as('analyst');
const upload = (client: Client, raw: string | Uint8Array, query = '') =>
  client.call<ImportedRun & { error_code: string; detail: { message: string }[] }>(`/api/v1/scans/imports?${query}`, { raw });
const runs = async (client: Client) => (await client.call<{ total: number }>('/api/v1/scan-runs')).body.total;
const total = async (client: Client, query = '') => (await client.call<{ total: number }>(`/api/v1/check/findings?${query}`)).body.total;
const records = (count: number): PostureRecord[] =>
  Array.from({ length: count }, (_, n) => ({ rule: `rule_${n % 40}`, resource: bucket(`b-${n}`) }));

describe('a report that is not one', () => {
  it.each([
    ['unparsable', 'this is not a report', ''],
    ['an object of nothing known', '{"a": 1}', ''],
    ['of another format than named', JSON.stringify(ocsf(records(1))), 'format=sarif'],
    ['unparsable under a named format', '<xml/>', 'format=trivy'],
  ])('%s: 422, and no run is made', async (_case, raw, query) => {
    const client = await analyst();
    const { status, body } = await upload(client, raw, query);
    expect({ status, code: body.error_code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
    expect(await runs(client)).toBe(0);
  });

  it('larger than MAX_IMPORT_MB: 413, and no run is made', async () => {
    const client = await analyst();
    const { status, body } = await upload(client, JSON.stringify([{ padding: 'x'.repeat(17 * 1_048_576) }]));
    expect({ status, code: body.error_code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(await runs(client)).toBe(0);
  });
});

describe('an archive', () => {
  const fixture = (path: string) => readFileSync(join(__dirname, '../importers/fixtures', path));
  const found = async (client: Client, prefix: string) =>
    (await client.call<{ total: number }>(`/api/v1/${prefix}/findings?status=OPEN`)).body.total;
  const code = { name: 'code.sarif', bytes: fixture('sarif/one-run.sarif') };
  const posture = (count: number) => ({ name: 'posture.json', bytes: JSON.stringify(ocsf(records(count))) });

  it('of reports of several formats is one run, which counts and closes for each as if it had come alone', async () => {
    const [together, apart] = [await analyst(), await analyst()];
    await apart.import(ocsf(records(7)));
    const alone = await upload(apart, code.bytes);
    expect(alone.status).toBe(202);
    const run = await together.import(zipOf([posture(7), code]));
    expect(run).toMatchObject({ state: 'COMPLETED', format: 'archive', counts: { skipped: 0 } });
    for (const prefix of ['check', 'secops']) await expect(found(together, prefix)).resolves.toBe(await found(apart, prefix));
    const again = await together.import(gzipSync(tarOf([code, posture(3)])));
    expect(again).toMatchObject({ state: 'COMPLETED', counts: { new: 0, resolved: 4 } });
    expect(await found(together, 'check')).toBe(3);
  });

  it('in which a collector left something out on purpose closes for the other reports all the same', async () => {
    const client = await analyst();
    await client.import(zipOf([posture(7)]));
    const answers = [
      { source: 'aws ec2 describe-volumes', region: 'eu-west-1', response: { Volumes: [{ VolumeId: 'vol-1' }] } },
      { source: 'aws ec2 describe-hosts', region: 'eu-west-1', skipped: 'It is not asked.' },
    ];
    const bytes = answers.map((line) => `${JSON.stringify(line)}\n`).join('');
    const run = await client.import(zipOf([{ name: 'answers.jsonl', bytes }, posture(3)]), { account_id: '123456789012' });
    expect(run).toMatchObject({ state: 'COMPLETED', format: 'archive', errors: [] });
    expect(await found(client, 'check')).toBe(3);
  });

  it('with something that is no report takes in the others, names the one, and resolves nothing', async () => {
    const client = await analyst();
    await client.import(zipOf([posture(7)]));
    const run = await client.import(zipOf([posture(3), { name: '../../etc/passwd', bytes: 'root:x:0:0' }]));
    expect(run).toMatchObject({ state: 'PARTIAL', format: 'ocsf', counts: { updated: 3, skipped: 1, resolved: 0 } });
    expect(run.errors).toEqual([{ position: '../../etc/passwd', reason: expect.stringContaining('is of no format') as string }]);
    expect(await found(client, 'check')).toBe(7);
  });

  it('whose entry unpacks to more than MAX_IMPORT_MB, compressed once more, ends as far as that is read, and resolves nothing', async () => {
    const client = await analyst();
    await client.import(zipOf([posture(7)]));
    const padded = gzipSync(`${posture(3).bytes}${' '.repeat(20 * 1_048_576)}`);
    const run = await client.import(zipOf([{ name: 'a.gz', bytes: padded }]));
    expect(run).toMatchObject({
      counts: { records: 3, resolved: 0 },
      errors: [{ reason: expect.stringContaining('larger than') as string }],
    });
    expect(run.state).not.toBe('COMPLETED');
    expect(await found(client, 'check')).toBe(7);
  });

  it.each([
    [
      'that unpacks to more than MAX_IMPORT_MB',
      zipOf([
        { name: 'a', bytes: Buffer.alloc(12 * 1_048_576) },
        { name: 'b', bytes: Buffer.alloc(12 * 1_048_576) },
      ]),
      413,
    ],
    ['of nothing but archives', zipOf([{ name: 'a.zip', bytes: zipOf([code]) }]), 422],
    ['that is a document', zipOf([{ name: 'word/document.xml', bytes: '<document/>' }]), 422],
  ])('%s is refused, and no run is made', async (_what, bytes, refused) => {
    const client = await analyst();
    expect((await upload(client, bytes)).status).toBe(refused);
    expect(await runs(client)).toBe(0);
  });
});

describe('a damaged report', () => {
  it('that is cut keeps what stands before the cut, and resolves nothing', async () => {
    const client = await analyst();
    await client.import(ocsf(records(20)));
    const text = JSON.stringify(ocsf(records(10)));
    const run = await client.import(text.slice(0, text.length - 400));
    expect(run).toMatchObject({ state: 'PARTIAL', counts: { records: 9, updated: 9, new: 0, resolved: 0 } });
    expect(run.errors).toHaveLength(1);
    expect(await total(client, 'status=OPEN')).toBe(20);
  });

  it('with one broken record in 10,000 takes in the others and names the one', async () => {
    const client = await analyst();
    const all = ocsf(records(10_000));
    all[4_321] = { ...all[4_321], finding_info: 7, metadata: null };
    const run = await client.import(all);
    expect(run).toMatchObject({ state: 'PARTIAL', counts: { records: 9_999, skipped: 1, new: 9_999 } });
    expect(run.errors).toEqual([{ position: expect.stringContaining('4321') as string, reason: expect.stringMatching(/\S/) as string }]);
    expect(await total(client)).toBe(9_999);
  });

  it('with secrets in it is stored without them', async () => {
    const client = await analyst();
    const [record] = ocsf(records(1));
    const secret = 'AKIA' + 'QWERTYUIOPASDFGH';
    const run = await client.import([
      { ...record, status_detail: `the key ${secret} is in use`, unmapped: { password: 'hunter2-hunter2' } },
    ]);
    expect(run).toMatchObject({ state: 'COMPLETED', counts: { records: 1, new: 1 } });
    const { body } = await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings');
    const { text } = await client.call(`/api/v1/views/finding/check/${body.items[0]!.finding_id}`);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('hunter2');
  });
});

describe('damaged gzip', () => {
  /** Text that hardly shrinks, so that the damage lies where it is meant to lie. */
  const noise = (seed: number) =>
    Array.from({ length: 12_000 }, (_, n) =>
      Math.sin(seed * 7_919 + n)
        .toString(36)
        .slice(3),
    ).join('');
  const manifest = (name: string) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: noise(name.length) } });
  const reports: [format: string, report: string][] = [
    ['kubernetes', Array.from({ length: 6 }, (_, n) => `---\n${manifest('c'.repeat(n + 1))}\n`).join('')],
    ['ocsf', JSON.stringify(ocsf(records(60).map((record, n) => ({ ...record, title: noise(n).slice(0, 20_000) }))))],
  ];
  const damagedAt = (report: string, part: number) => {
    const packed = gzipSync(report);
    return Buffer.from(packed).fill(0xff, Math.floor(packed.length * part), Math.floor(packed.length * part) + 64);
  };

  it.each(reports)('of %s that is seen at the door is 422, and no run is made', async (format, report) => {
    const client = await analyst();
    for (const query of ['', `format=${format}`]) {
      const { status, body } = await upload(client, Buffer.from(gzipSync(report).fill(0xff, 12, 60)), query);
      expect({ status, code: body.error_code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
    }
    expect(await runs(client)).toBe(0);
  });

  it.each(reports)('of %s that is met later keeps what stands before it, and says so', async (format, report) => {
    const client = await analyst();
    const run = await client.import(damagedAt(report, 0.8), { format });
    expect(run.state).toBe('PARTIAL');
    expect(run.counts.records).toBeGreaterThan(0);
    expect(run.errors).toEqual([
      { position: expect.any(String) as string, reason: expect.stringContaining('the compressed data is damaged') as string },
    ]);
  });
});

describe('a record that cannot be stored', () => {
  it('is broken alone: a NUL in the name of a tag', async () => {
    const client = await analyst();
    const resource = (name: string, tags: object) => ({
      address: `aws_s3_bucket.${name}`,
      mode: 'managed',
      type: 'aws_s3_bucket',
      name,
      values: { bucket: name, tags },
    });
    const resources = [resource('a', { team: '1' }), resource('b', { 'x\u0000y': '1' }), resource('c', {})];
    const run = await client.import({ format_version: '1.0', terraform_version: '1.9.0', values: { root_module: { resources } } });
    expect(run).toMatchObject({ state: 'PARTIAL', counts: { records: 2, skipped: 1 } });
    expect(run.errors).toEqual([
      { position: 'values.root_module.resources[1]', reason: 'the record has a member name with a NUL character' },
    ]);
  });
});
