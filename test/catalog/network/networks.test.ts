import { Exposures } from '../../../catalog/network/exposure.js';
import { NetworkModel } from '../../../catalog/network/model.js';
import { reach } from '../../../catalog/network/reachability.js';
import { assetsOf, networksOf, type Case } from './networks.js';

const PROVIDERS = ['aws', 'azure', 'gcp', 'oci', 'alicloud', 'ibm', 'k8s'];

const portsOf = (model: NetworkModel, uid: string): string =>
  new Exposures(model)
    .of(uid)!
    .ports.map(({ protocol, from, to }) => `${protocol}:${from === to ? from : `${from}-${to}`}`)
    .join(' ');

describe.each(PROVIDERS)('hand-made networks of %s', (provider) => {
  const networks = networksOf(provider);

  test.each(networks.cases.map((one): [string, Case] => [one.name, one]))('%s', (_, one) => {
    const assets = assetsOf(networks, one);
    for (const model of [new NetworkModel(assets), new NetworkModel([...assets].reverse())]) {
      if (one.ask !== undefined) {
        const [from, to, port, protocol = 'tcp'] = one.ask;
        const answer = reach(model, from, to, { protocol, port });
        expect({ answer: answer?.answer, stop: answer?.stop && [answer.stop.kind, answer.stop.resource_uid] }).toEqual({
          answer: one.answer,
          stop: one.answer === 'reachable' ? null : (one.stop ?? expect.anything()),
        });
        if (one.hops !== undefined) expect(answer?.hops.map(({ kind }) => kind)).toEqual(one.hops);
      }
      if (one.exposed !== undefined) {
        const [uid, exposure, ports] = one.exposed;
        expect(new Exposures(model).of(uid)?.exposure).toBe(exposure);
        if (ports !== undefined) expect(portsOf(model, uid)).toBe(ports);
      }
      expect(one.ask ?? one.exposed).toBeDefined();
    }
  });
});
