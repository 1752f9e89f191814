import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVE, bufferSource, NotOfFormat, openReport, type ImportItem } from '../../importers/index.js';
import { all } from './pieces.js';

const fixture = (path: string): string => readFileSync(join(__dirname, 'fixtures', path), 'utf8');
const open = (text: string, format: string | null = null) => openReport(bufferSource(Buffer.from(text)), format);
const alone = async (text: string) => all((await open(text)).read({}));
/** Without the place in the list. */
const identities = (items: readonly ImportItem[]) =>
  items.flatMap((item) =>
    item.kind === 'observation' ? [[item.observation.rule_id, item.observation.resource_uid, item.observation.discriminator]] : [],
  );
const faults = (items: readonly ImportItem[]) =>
  items.flatMap((item) => (item.kind === 'broken' || item.kind === 'truncated' ? [`${item.kind} ${item.position}: ${item.reason}`] : []));

describe('a list of reports', () => {
  const [kics, sarif] = [fixture('kics/report.json'), fixture('sarif/one-run.sarif')];

  it('is read as if each had come alone', async () => {
    const report = await open(`[${kics},\n${sarif}]`);
    expect([report.format, report.formats.map(({ name }) => name)]).toEqual([ARCHIVE, ['kics', 'sarif']]);
    await report.probe();
    const items = await all(report.read({}));
    expect(identities(items)).toEqual([...identities(await alone(kics)), ...identities(await alone(sarif))]);
    expect(faults(items)).toEqual([]);
    // as the worker opens what the server has seen
    expect(await all((await open(`[${kics},${sarif}]`, ARCHIVE)).read({}))).toEqual(items);
  });

  it.each(['kics/report.json', 'bandit/report.json', 'npm_audit/version2.json', 'gitlab/sast.json', 'semgrep/code.json'])(
    'of %s alone is a report of its format, also where that is named',
    async (path) => {
      const text = fixture(path);
      const format = path.split('/')[0]!;
      for (const named of [null, format]) {
        const report = await open(`[${text}]`, named);
        expect(report.format).toBe(format);
        expect(identities(await all(report.read({})))).toEqual(identities(await alone(text)));
      }
    },
  );

  it('tells what in it is no report, is of another format than the one that is named, or is cut', async () => {
    expect(faults(await alone(`[${kics}, {"own": 1}]`))).toEqual([expect.stringMatching(/^broken \[1\]: is of no format that is read: /)]);
    expect(faults(await all((await open(`[${kics}, ${sarif}]`, 'kics')).read({})))).toEqual([
      'broken [1]: is of the format sarif, not kics',
    ]);
    expect(faults(await alone(`[${kics}, 7]`))).toEqual(['truncated the list: 1 reports are followed by what is none']);
    expect(faults(await alone(`[${kics}, ${sarif.slice(0, 300)}`))).toEqual(['truncated the list: the list ends before its end']);
    await expect(open('[{"own": 1}]')).rejects.toThrow(NotOfFormat);
    await expect(open(kics, ARCHIVE)).rejects.toThrow(NotOfFormat);
  });
});

describe('elements of a report that is a list', () => {
  it.each(['gitleaks/directory.json', 'eslint/report.json', 'testssl/flat.json', 'dependency_track/list.json'])(
    'of %s say the same a line each, one alone, and one behind the other',
    async (path) => {
      const text = fixture(path);
      const elements = (JSON.parse(text) as unknown[]).map((element) => JSON.stringify(element));
      const whole = await alone(text);
      for (const joint of ['\n', '', ' \r\n\r\n']) expect(await alone(elements.join(joint))).toEqual(whole);
      expect(await alone(elements[0]!)).toEqual(await alone(`[${elements[0]!}]`));
      expect(faults(await alone(elements.join('\n').slice(0, -20))).length).toBeGreaterThan(0);
    },
  );
});
