import { covers, holdsOn, parseIgnore, type Ignore } from '../../cli/check/ignore.js';
import { checkOptions } from '../../cli/check/options.js';
import { toGitHub, toJUnit, toMarkdown } from '../../cli/check/pipelines.js';
import type { CheckReport, CheckResult } from '../../cli/check/report.js';
import { toTable } from '../../cli/check/table.js';
import type { GivenOption } from '../../cli/command-line.js';

const given = (...options: string[]): GivenOption[] =>
  options.map((option) => ({ name: option.split('=')[0]!, value: option.split('=')[1] }));

describe('options', () => {
  it('an output is that of the format before it', () => {
    expect(checkOptions({}, given('format=sarif', 'output=a', 'format=table'), {}).outputs).toEqual([
      { format: 'sarif', file: 'a' },
      { format: 'table', file: undefined },
    ]);
    expect(checkOptions({}, given('output=a'), {}).outputs).toEqual([{ format: 'table', file: 'a' }]);
    expect(checkOptions({}, [], { format: 'json' }).outputs).toEqual([{ format: 'json', file: undefined }]);
  });

  it.each([
    [['format=json', 'format=sarif'], 'cannot share standard output'],
    [['format=json', 'output=a', 'output=b'], 'follows the --format'],
    [['format=xml'], '--format is one of'],
  ])('%j is refused', (options, reason) => {
    expect(() => checkOptions({}, given(...options), {})).toThrow(reason);
  });

  it('the command line counts more than the file of settings; what is skipped is joined', () => {
    const settings = { 'fail-on': 'low', skip: ['a'], strict: true, baseline: 'b.json' } as const;
    expect(checkOptions({ 'fail-on': 'high', skip: ['b'] }, [], { ...settings, skip: ['a'] })).toMatchObject({
      failOn: 'high',
      without: ['a', 'b'],
      strict: true,
      baseline: 'b.json',
    });
    expect(checkOptions({}, [], { ...settings, skip: ['a'], 'fail-on': 'none' }).failOn).toBeUndefined();
    expect(() => checkOptions({ 'write-baseline': true }, [], {})).toThrow('--baseline');
  });
});

describe('what ignores a rule', () => {
  it.each([
    ['open_port the office', { rules: /^(?:open_port)$/, names: ['open_port'], reason: 'the office', until: undefined }],
    ['a.b,c.* why until=2027-02-28', { rules: /^(?:a\.b|c\..*)$/, names: ['a.b', 'c.*'], reason: 'why', until: '2027-02-28' }],
    ['open_port', 'say why open_port is ignored, behind the rule'],
    ['open_port until=2027-02-28', 'say why open_port is ignored, behind the rule'],
    ['open_port why until=2027-02-30', '2027-02-30 is no date: until=YYYY-MM-DD'],
    ['', expect.stringContaining('name a rule')],
  ])('%j', (text, read) => {
    expect(parseIgnore(text)).toEqual(read);
  });

  it('holds through its day, for ids, families and globs', () => {
    const ignore = parseIgnore('open_port,aws.s3.* r until=2027-01-01') as Ignore; // it is right, so it is no text
    expect(['2026-12-31', '2027-01-01', '2027-01-02'].map((day) => holdsOn(ignore, day))).toEqual([true, true, false]);
    const rules = [
      ['aws.security.group.open_port.ssh', 'open_port'],
      ['aws.s3.bucket.x', 'y'],
      ['aws.s3x.bucket', 'y'],
    ];
    expect(rules.map(([rule_id = '', family = '']) => covers(ignore, { rule_id, family }))).toEqual([true, true, false]);
  });
});

const result = (more: Partial<CheckResult>): CheckResult => ({
  rule_id: 'r.1',
  family: 'f',
  address: 'aws_x.y',
  resource_type: 'aws_x',
  result: 'FAIL',
  severity: 'high',
  message: 'a | <b> & "c"\n100%',
  file: 'a b,c.tf',
  line: 3,
  isCode: true,
  provider: 'aws',
  resource_uid: 'u',
  region: 'global',
  evidence: { expression: '', attribute: null, actual: null, expected: '' },
  texts: { title: 't', description: '', rationale: '', steps: [], references: [] },
  ...more,
});
const report = (...results: CheckResult[]): CheckReport => ({
  files: [{ file: 'a', format: 'terraform_hcl', resources: 2, broken: [] }],
  results,
  counts: { PASS: 1, FAIL: results.length, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 },
  suppressed: [],
  skipped: [{ file: 'Dockerfile', reason: 'no' }],
  isSearch: true,
});

describe('reports', () => {
  it('keep what has a meaning in their form from being taken for it', () => {
    expect(toGitHub(report(result({})))).toContain('::error file=a b%2Cc.tf,line=3,title=r.1::aws_x.y: a | <b> & "c"%0A100%25\n');
    expect(toMarkdown(report(result({})))).toContain('| high | aws_x.y | a b,c.tf:3 | r.1 | a \\| &lt;b> & "c" 100% |');
    expect(toJUnit(report(result({ message: '\u0001<' })))).toContain('message="\ufffd&lt;"');
  });

  it('a table has the resource with the worst first, and colours only where they are asked for', () => {
    const given = report(result({ severity: 'low', address: 'aws_x.low' }), result({ severity: 'critical', address: 'aws_x.worst' }));
    const plain = toTable(given, false);
    expect(plain.indexOf('aws_x.worst')).toBeLessThan(plain.indexOf('aws_x.low'));
    expect(plain).toContain('\nwhy, and how to mend it: palisade rule show RULE\n');
    expect(toTable(report(result({ result: 'PASS' })), false)).not.toContain('rule show');
    expect(plain).toMatch(/2 resources: 2 failed \(1 critical, 1 low\), 1 passed, 0 not evaluated, 1 skipped\n$/);
    expect([plain.includes('\u001b['), toTable(given, true).includes('\u001b[35mcritical')]).toEqual([false, true]);
  });
});
