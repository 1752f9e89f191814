import type { Evaluation } from '../../catalog/evaluate.js';
import { reportedOf, severityOf } from '../../catalog/standing.js';
import type { Rule } from '../../catalog/types.js';
import { SEVERITIES } from '../../schema/model.js';
import { random } from '../contract/list-model.js';

const failure = (rule_id: string, more: Partial<Rule> = {}): Evaluation => ({
  result: 'FAIL',
  rule: {
    rule_id,
    family: 'family',
    provider: 'aws',
    resource_types: ['aws_thing'],
    severity: 'medium',
    engine: 'check',
    expression: 'false',
    expected: '',
    ...more,
  },
});
/** `leader>implied,implied` of each that is reported. */
const said = (failures: Evaluation[], aside: string[] = []): string[] =>
  reportedOf(failures, new Set(aside))
    .map(({ evaluation, implied }) => [evaluation.rule.rule_id, implied.map(({ rule }) => rule.rule_id).join(',')].join('>'))
    .sort();

const admin = failure('admin', { implies: ['service', 'action'] });
const service = failure('service', { implies: ['action'], severity: 'critical' });
const action = failure('action');
const other = failure('other');

describe('of the failures on one resource', () => {
  it('the strongest is reported and stands for those that it implies; the rest are reported', () => {
    expect(said([action, service, admin, other])).toEqual(['admin>service,action', 'other>']);
    expect(said([action, service])).toEqual(['service>action']);
    expect(said([action])).toEqual(['action>']);
    expect(said([])).toEqual([]);
  });

  it('one has the worst severity of those that it stands for', () => {
    expect(reportedOf([admin, service, action]).map(severityOf)).toEqual(['critical']);
  });

  it('one whose severity the tenant has set stands for none that is worse', () => {
    const set = failure('admin', { implies: ['service', 'action'], severity: 'low', severity_set: true });
    expect(said([set, service, action])).toEqual(['admin>', 'service>action']);
    expect(said([set, failure('service', { implies: ['action'], severity: 'info' }), action])).toEqual(['action>', 'admin>service']);
  });

  it('the worst of those that belong together stands for the others, and for what they imply', () => {
    const ports = [
      failure('ssh', { together: 'ports', severity: 'high', implies: ['any'] }),
      failure('telnet', { together: 'ports', severity: 'critical' }),
      failure('http', { together: 'ports', severity: 'low' }),
      failure('any'),
    ];
    expect(said(ports)).toEqual(['telnet>ssh,any,http']);
    expect(said(ports.slice(2))).toEqual(['any>', 'http>']);
    expect(said([failure('a', { together: 'a' }), failure('b', { together: 'b' })])).toEqual(['a>', 'b>']);
  });

  it('one that a person has set aside is reported by itself, and what it implied comes to light', () => {
    expect(said([admin, service, action, other], ['admin'])).toEqual(['admin>', 'other>', 'service>action']);
    expect(said([admin, service, action], ['admin', 'service'])).toEqual(['action>', 'admin>', 'service>']);
    expect(said([admin, service, action], ['action'])).toEqual(['action>', 'admin>service']);
  });

  it('each is reported or implied by one that is, exactly once, whatever implies what', () => {
    const next = random(7);
    const some = <T>(all: readonly T[]): T[] => all.filter(() => next() < 0.5);
    const names = Array.from({ length: 8 }, (_, i) => `rule-${i}`);
    for (let round = 0; round < 500; round++) {
      const closed = new Map<string, Set<string>>();
      // a rule implies later ones alone, so that there is no circle
      for (const [i, name] of [...names.entries()].reverse())
        closed.set(name, new Set(some(names.slice(i + 1)).flatMap((one) => [one, ...closed.get(one)!])));
      const failures = some(names).map((name) => {
        const severity = SEVERITIES[Math.floor(next() * SEVERITIES.length)]!;
        const together = [undefined, 'a', 'b'][Math.floor(next() * 3)];
        return failure(name, { severity, implies: [...closed.get(name)!], ...(together && { together }) });
      });
      const aside = some(some(names));
      const reported = reportedOf(failures, new Set(aside));
      const all = reported.flatMap(({ evaluation, implied }) => [evaluation, ...implied]).map(({ rule }) => rule.rule_id);
      expect([...all].sort()).toEqual(failures.map(({ rule }) => rule.rule_id).sort());
      const counted = failures.filter(({ rule }) => !aside.includes(rule.rule_id));
      for (const { evaluation, implied } of reported) {
        const { rule_id } = evaluation.rule;
        const isAside = aside.includes(rule_id);
        expect({ rule_id, stands: isAside && implied.length > 0 }).toEqual({ rule_id, stands: false });
        expect({ rule_id, implied: !isAside && counted.some(({ rule }) => rule.implies!.includes(rule_id)) }).toEqual({
          rule_id,
          implied: false,
        });
      }
    }
  });
});
