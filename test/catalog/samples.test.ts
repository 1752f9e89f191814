import { sampleVerdict } from '../../catalog/samples.js';
import { PROVIDERS } from '../../schema/model.js';
import { expandWholeCatalog } from './whole-catalog.js';

const { rules } = expandWholeCatalog();

describe.each(PROVIDERS)('the generated pair of samples of every rule of %s', (provider) => {
  const own = rules.filter((rule) => rule.provider === provider);

  it('passes once and fails once', () => {
    const faults = own.flatMap((rule) =>
      (['pass', 'fail'] as const).flatMap((wanted) => {
        const { result, reason = '' } = sampleVerdict(rule, rule.samples[wanted]);
        return result === wanted.toUpperCase() ? [] : [`${rule.rule_id}: the sample that should ${wanted} is ${result} ${reason}`];
      }),
    );
    expect(own).not.toHaveLength(0);
    expect(faults).toEqual([]);
  });
});
