import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decide } from '../../../catalog/access/decide.js';
import { AccessModel } from '../../../catalog/access/model.js';
import { assetsOf, estatesOf, type Case } from './cases.js';

const PROVIDERS = readdirSync(join(__dirname, 'cases')).map((file) => file.replace('.yaml', ''));

describe.each(PROVIDERS)('who may do what in %s', (provider) => {
  const estates = estatesOf(provider);

  test.each(estates.cases.map((one): [string, Case] => [one.name, one]))('%s', (_, one) => {
    const assets = assetsOf(estates, one);
    // the order in which the resources are told changes nothing
    for (const model of [new AccessModel(assets), new AccessModel([...assets].reverse())]) {
      const [who, action, resource] = one.ask;
      const { answer, by, reason, assumed } = decide(model.weigh(provider, who, action, resource, one.session));
      expect({ answer, reason }).toEqual({ answer: one.answer, reason: expect.any(String) });
      if (one.by !== undefined) expect([...new Set(by.map(({ resource_uid }) => resource_uid))].sort()).toEqual([...one.by].sort());
      if (one.assumed !== undefined) expect(assumed).toEqual(one.assumed);
    }
  });
});
