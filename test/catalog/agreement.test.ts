import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compare, judgePlan, labelledPlans, readAgreement, readDisagreements, type Label } from '../../catalog/agreement.js';
import { globs } from '../../catalog/glob.js';
import { expandWholeCatalog } from './whole-catalog.js';
import { needing, shared } from '../support/shared.js';

const TABLES = resolve(__dirname, '../../catalog/agreement');
const LEAST_COVERED = 0.85;
const LEAST_AGREED = 0.95;

const plans = shared('data/samples/terraform_plan_derived');
const labelled = plans === undefined ? [] : labelledPlans(plans);
const { rules } = expandWholeCatalog();
const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;

describe('a label', () => {
  const label = (control: string, expected: 'pass' | 'fail'): Label => ({ address: 'a.b', control, expected });
  const table = new Map([['C', ['aws.a.*', 'aws.b.one']]]);
  const results = [
    { rule_id: 'aws.a.x', result: 'PASS' as const },
    { rule_id: 'aws.b.one', result: 'FAIL' as const },
    { rule_id: 'aws.b.one.more', result: 'PASS' as const },
  ];

  it('is answered by any rule that fails, then by any that passes', () => {
    expect(compare([label('C', 'fail')], table, () => results)).toMatchObject({ covered: 1, agreed: 1 });
    expect(compare([label('C', 'fail')], table, () => results.slice(0, 1)).disagreements).toEqual([
      { address: 'a.b', control: 'C', expected: 'fail', actual: 'pass', rules: ['aws.a.x'] },
    ]);
  });

  it('is not covered where its control has no rule, or no rule has a verdict', () => {
    const { covered, uncovered } = compare([label('C', 'pass'), label('D', 'pass')], table, () => [
      { rule_id: 'aws.a.x', result: 'NOT_EVALUATED' },
      { rule_id: 'aws.b.one.more', result: 'PASS' },
    ]);
    expect(covered).toBe(0);
    expect([...uncovered.keys()]).toEqual(['C', 'D']);
  });
});

needing(plans).describe('over the labelled plans', () => {
  it('there is one for each of six providers', () => {
    expect(labelled.map(({ provider }) => provider)).toEqual(['alicloud', 'aws', 'azure', 'gcp', 'kubernetes', 'oci']);
  });

  for (const { provider, plan, labels } of labelled)
    describe(provider, () => {
      const table = readAgreement(TABLES, provider);
      const listed = readDisagreements(TABLES, provider);
      const key = ({ address, control }: { address: string; control: string }): string => `${control} ${address}`;
      let agreement: ReturnType<typeof compare>;

      beforeAll(async () => {
        const results = await judgePlan(plan, rules);
        agreement = compare(labels, table, (address) => results.get(address));
        const { covered, agreed } = agreement;
        process.stderr.write(
          `agreement ${provider}: ${labels.length} labels, covered ${percent(covered, labels.length)}, agreed ${percent(agreed, covered)}\n`,
        );
      });

      it('covers 85 % of the labels, and agrees with 95 % of those', () => {
        const { covered, agreed } = agreement;
        expect({
          covered: percent(covered, labels.length),
          enough: covered / labels.length >= LEAST_COVERED,
          agreed: percent(agreed, covered),
          close: agreed / Math.max(covered, 1) >= LEAST_AGREED,
        }).toMatchObject({ enough: true, close: true });
      });

      it('gives a reason for every disagreement, and for nothing else', () => {
        expect(listed.filter(({ reason }) => reason === '').map(key)).toEqual([]);
        expect(new Set(listed.map(key))).toEqual(new Set(agreement.disagreements.map(key)));
      });

      it('names only rules that there are', () => {
        const faults = [...table].flatMap(([control, patterns]) =>
          patterns
            .filter((pattern) => !rules.some(({ rule_id }) => globs([pattern]).test(rule_id)))
            .map((pattern) => `${control}: no rule matches ${pattern}`),
        );
        expect(faults).toEqual([]);
      });
    });
});

describe('the tables of a provider', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agreement-'));
  const file = (name: string, rows: string[]): void => writeFileSync(join(folder, name), `control\trules\n${rows.join('\n')}\n`);
  file('oci.tsv', ['C1\toci.a.b oci.a.c', 'C2\t', 'C3\toci.c']);
  file('oci_more.tsv', ['C3\toci.d']);
  file('ocix.tsv', ['C4\toci.e']);
  file('oci.disagreements.tsv', ['a.b\tC1\tIt has a reason.', 'a.c\tC1']);

  it('are all its files, with what two say of one control together', () => {
    expect([...readAgreement(folder, 'oci')]).toEqual([
      ['C1', ['oci.a.b', 'oci.a.c']],
      ['C3', ['oci.c', 'oci.d']],
    ]);
    expect(readAgreement(folder, 'ibm').size).toBe(0);
  });

  it('keep the disagreements apart', () => {
    expect(readDisagreements(folder, 'oci')).toEqual([
      { address: 'a.b', control: 'C1', reason: 'It has a reason.' },
      { address: 'a.c', control: 'C1', reason: '' },
    ]);
  });
});
