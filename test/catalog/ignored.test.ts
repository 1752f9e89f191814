import { expect, it } from '@jest/globals';
import { IgnoredInSource } from '../../cli/check/ignored.js';
import { didYouMean } from '../../cli/did-you-mean.js';
import type { AssetInput } from '../../schema/observations.js';
import type { InventorySource } from '../../sources/types.js';

it('asks what is wrong with a name once, however many resources have it', () => {
  const asked: string[] = [];
  const ignored = new IgnoredInSource((name) => {
    asked.push(name);
    return name === 'open_prt' ? 'open_prt matches no rule' : undefined;
  });
  const asset = { provider: 'k8s', configuration: { metadata: [{ annotations: { 'palisade.dev/ignore': 'open_prt,open_port known' } }] } };
  for (let n = 1; n <= 3; n++) ignored.of({} as InventorySource, asset as unknown as AssetInput, { file: `${n}.yaml` } as never);
  expect(asked).toEqual(['open_prt', 'open_port']);
  expect(ignored.faults).toEqual(['1.yaml', '2.yaml', '3.yaml'].map((file) => `${file}: open_prt matches no rule`));
});

it('finds the nearest of many names, the first of those that are as near, and none that is far', () => {
  expect(didYouMean('open_prt', ['open_part', 'open_port', 'other'])).toBe('; did you mean open_part?');
  expect(didYouMean('--ruel', ['--rule', '--profile'])).toBe('; did you mean --rule?');
  expect(didYouMean('backup', ['restore', 'feeds'])).toBe('');
  expect(didYouMean('', ['ab', 'abc'])).toBe('; did you mean ab?');
});
