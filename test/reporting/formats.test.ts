import { text as textOfStream } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';
import { csv } from '../../subgraphs/reporting/formats/csv.js';
import type { Column, Contents, ExportFormat, Row } from '../../subgraphs/reporting/formats/format.js';
import { controlToken, oscal } from '../../subgraphs/reporting/formats/oscal.js';
import { ocsf } from '../../subgraphs/reporting/formats/ocsf.js';
import { sarif } from '../../subgraphs/reporting/formats/sarif.js';
import { vex } from '../../subgraphs/reporting/formats/vex.js';
import { columnName, workbook } from '../../subgraphs/reporting/formats/xlsx.js';

const COLUMNS: readonly Column[] = [
  { name: 'title', kind: 'text' },
  { name: 'risk_score', kind: 'number' },
  { name: 'last_seen_at', kind: 'date' },
  { name: 'tags', kind: 'json' },
];
const told = new Map<string, number>();

function contentsOf(rows: readonly Row[], more: Partial<Contents> = {}): Contents {
  async function* batches() {
    for (let at = 0; at < rows.length; at += 2) yield rows.slice(at, at + 2);
  }
  return {
    ...{ id: '7b0f2c1e-5b3a-4d57-8f0e-0d6d5a3f9b11', subject: 'findings', title: 'Findings', madeAt: new Date('2030-01-31T08:00:00Z') },
    ...{ columns: COLUMNS, rows: batches(), framework: null, tell: (name: string, count: number) => void told.set(name, count) },
    ...more,
  };
}

async function bytesOf(parts: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(Buffer.from(part));
  return Buffer.concat(all);
}
const written = async (format: ExportFormat, rows: readonly Row[], more?: Partial<Contents>) =>
  (await bytesOf(format.write(contentsOf(rows, more)))).toString();

/** The files of an archive, by name. */
async function unzipped(bytes: Buffer): Promise<Map<string, string>> {
  const archive = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  const files = new Map<string, string>();
  return new Promise((resolve, reject) => {
    archive.on('error', reject);
    archive.on('end', () => resolve(files));
    archive.on('entry', (entry: Entry) =>
      archive.openReadStream(entry, (error, stream) => {
        if (error) return reject(error);
        textOfStream(stream).then((text) => {
          files.set(entry.fileName, text);
          archive.readEntry();
        }, reject);
      }),
    );
    archive.readEntry();
  });
}
const rowOf = (title: string, more: Row = {}): Row => ({
  title,
  risk_score: -5,
  last_seen_at: '2030-01-31T06:00:00.000Z',
  tags: { a: 1 },
  ...more,
});

describe('CSV', () => {
  it('is read back as it was, with quotes, commas and lines in cells', async () => {
    const rows = parse(await written(csv, [rowOf('a "quoted", thing\nof two lines'), rowOf('plain')]), { columns: true });
    expect(rows).toEqual([
      { title: 'a "quoted", thing\nof two lines', risk_score: '-5', last_seen_at: '2030-01-31T06:00:00.000Z', tags: '{"a":1}' },
      expect.objectContaining({ title: 'plain' }),
    ]);
  });

  it('of nothing is its heading', async () => {
    expect(await written(csv, [])).toBe('title,risk_score,last_seen_at,tags\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1'])(
    'has an apostrophe before %j, which a spreadsheet would run',
    async (title) => {
      const [row] = parse(await written(csv, [rowOf(title)]), { columns: true }) as { title: string }[];
      expect(row!.title).toBe(`'${title}`);
    },
  );
});

describe('XLSX', () => {
  it('holds texts, numbers and moments, and no formulas', async () => {
    const files = await unzipped(await bytesOf(workbook(contentsOf([rowOf('=HYPERLINK("http://x")'), rowOf('<b> & \u0000')]))));
    const sheet = files.get('xl/worksheets/sheet1.xml')!;
    expect(sheet).toContain(
      `<c r="A2" t="inlineStr"><is><t xml:space="preserve">'=HYPERLINK("http://x")</t></is></c><c r="B2"><v>-5</v></c><c r="C2" s="1"><v>47514.25</v></c>`,
    );
    expect(sheet).toContain('&lt;b&gt; &amp; \uFFFD');
    expect(sheet).not.toContain('<f>');
  });

  it('goes on in another sheet where one is full, each with the heading', async () => {
    const rows = Array.from({ length: 7 }, (_, n) => rowOf(`Row ${n}`));
    const files = await unzipped(await bytesOf(workbook(contentsOf(rows), 4)));
    const sheets = [1, 2, 3].map((n) => files.get(`xl/worksheets/sheet${n}.xml`)!);
    expect(sheets.map((sheet) => [...sheet.matchAll(/>(Row \d)</g)].map(([, row]) => row))).toEqual([
      ['Row 0', 'Row 1', 'Row 2'],
      ['Row 3', 'Row 4', 'Row 5'],
      ['Row 6'],
    ]);
    expect(sheets.every((sheet) => sheet.includes('>title<'))).toBe(true);
    expect(files.has('xl/worksheets/sheet4.xml')).toBe(false);
    expect(files.get('xl/workbook.xml')!.match(/<sheet /g)).toHaveLength(3);
    expect(files.get('[Content_Types].xml')!.match(/worksheet\+xml/g)).toHaveLength(3);
  });

  it('cuts a cell where Excel does, and says so', async () => {
    told.clear();
    const files = await unzipped(await bytesOf(workbook(contentsOf([rowOf('x'.repeat(40_000))]))));
    const [, cell] = />(x+… \[cut[^<]*)</.exec(files.get('xl/worksheets/sheet1.xml')!)!;
    expect([cell!.length, told.get('cells_cut')]).toEqual([32_767, 1]);
  });

  it('names columns as sheets do', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
  });
});

const finding = (more: Row = {}): Row => ({
  ...{
    finding_id: 'f1',
    engine: 'vulnerability',
    rule_id: 'CVE-2030-0001',
    title: 'A flaw',
    severity: 'high',
    status: 'OPEN',
    risk_score: 80,
  },
  ...{
    provider: 'aws',
    account_id: '1',
    region: 'eu-west-1',
    resource_type: 'container_image',
    resource_uid: 'registry/app@sha256:1',
    resource_name: 'app',
  },
  ...{
    scan_run_id: 'r',
    first_seen_at: '2030-01-01T00:00:00.000Z',
    last_seen_at: '2030-01-31T00:00:00.000Z',
    cve: 'CVE-2030-0001',
    cvss: 8.1,
    epss: 0.2,
  },
  ...{
    rule_type: 'config',
    references: [{ url: 'https://x.example/1' }],
    remediation: { guidance: 'Update.' },
    controls: [],
    mitre_techniques: [],
  },
  ...{ evidence: { package_name: 'openssl', installed_version: '1.1', fixed_version: '1.2', purl: 'pkg:deb/openssl@1.1' } },
  ...more,
});

describe('OCSF', () => {
  it('tells vulnerabilities, posture and detections apart, and closes what is resolved', async () => {
    const lines = (
      await written(ocsf, [finding(), finding({ cve: null }), finding({ cve: null, rule_type: 'threat', status: 'RESOLVED' })])
    )
      .trim()
      .split('\n');
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(({ class_uid, type_uid, status_id }) => [class_uid, type_uid, status_id])).toEqual([
      [2002, 200201, 1],
      [2003, 200301, 1],
      [2004, 200403, 4],
    ]);
    expect(events[0]).toMatchObject({
      vulnerabilities: [{ cve: { uid: 'CVE-2030-0001' }, affected_packages: [{ name: 'openssl', fixed_in_version: '1.2' }] }],
    });
  });
});

describe('SARIF', () => {
  it('is one run with a result a finding and a rule once, accepted risks suppressed', async () => {
    const rows = [
      finding(),
      finding({ finding_id: 'f2', status: 'SUPPRESSED', evidence: { file: 'a b.tf', start_line: 3 } }),
      finding({ status: 'RESOLVED' }),
    ];
    const log = JSON.parse(await written(sarif, rows)) as {
      runs: [{ results: Record<string, unknown>[]; tool: { driver: { rules: unknown[] } } }];
    };
    const [{ results, tool }] = log.runs;
    expect(results.map(({ kind, level }) => [kind, level])).toEqual([
      ['fail', 'error'],
      ['fail', 'error'],
      ['pass', 'none'],
    ]);
    expect(results[1]).toMatchObject({
      suppressions: [{ kind: 'external', status: 'accepted' }],
      locations: [{ physicalLocation: { artifactLocation: { uri: 'a%20b.tf' }, region: { startLine: 3 } } }],
    });
    expect(tool.driver.rules).toHaveLength(1);
  });
});

describe('VEX', () => {
  it('says what is known of each vulnerability, of components that it has', async () => {
    const rows = [finding(), finding({ finding_id: 'f2', status: 'FALSE_POSITIVE' }), finding({ finding_id: 'f3', cve: null })];
    const bom = JSON.parse(await written(vex, rows)) as {
      vulnerabilities: { id: string; analysis: { state: string }; affects: { ref: string }[] }[];
      components: Record<string, unknown>[];
    };
    expect(bom.vulnerabilities.map(({ id, analysis }) => [id, analysis.state])).toEqual([
      ['CVE-2030-0001', 'in_triage'],
      ['CVE-2030-0001', 'false_positive'],
    ]);
    expect(bom.components.map((component) => component['bom-ref'])).toEqual([bom.vulnerabilities[0]!.affects[0]!.ref]);
    expect(bom.components[0]).toMatchObject({ type: 'library', name: 'openssl', version: '1.1', purl: 'pkg:deb/openssl@1.1' });
  });
});

describe('OSCAL', () => {
  const control = (control_id: string, status: string): Row => ({
    control_id,
    status,
    title: 'T',
    rule_count: 1,
    passed_results: 1,
    failed_results: 0,
    not_evaluated_results: 0,
  });

  it('has a finding for each control that was assessed, and leaves the others out by name', async () => {
    const framework = {
      framework_name: 'CIS',
      version: '1',
      score: 50,
      pass_count: 1,
      fail_count: 1,
      total_controls: 3,
      last_evaluated: null,
    };
    const rows = [control('1.1', 'PASS'), control('AC-3(4)', 'FAIL'), control('2', 'MANUAL')];
    const text = await written(oscal, rows, { subject: 'framework', framework });
    const { results } = (JSON.parse(text) as { 'assessment-results': { results: Record<string, unknown>[] } })['assessment-results'];
    expect(results[0]).toMatchObject({
      'reviewed-controls': {
        'control-selections': [
          { 'include-controls': [{ 'control-id': 'c-1.1' }, { 'control-id': 'ac-3.4' }], 'exclude-controls': [{ 'control-id': 'c-2' }] },
        ],
      },
      findings: [
        { target: { 'target-id': 'c-1.1', status: { state: 'satisfied' } } },
        { target: { 'target-id': 'ac-3.4', status: { state: 'not-satisfied' } } },
      ],
    });
  });

  it('makes tokens of the ids of controls', () => {
    expect(['AC-3(4)', '2.1.1', 'CC6.1', 'A.5.1 a)', 'Req 1/2'].map(controlToken)).toEqual([
      'ac-3.4',
      'c-2.1.1',
      'cc6.1',
      'a.5.1-a',
      'req-1-2',
    ]);
  });
});
