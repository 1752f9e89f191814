import { derivedRules } from '../../catalog/derived.js';
import { derivedFindings } from '../../kit/findings/derived.js';
import { networkExposures } from './exposures/records.js';

/** TCP ports by which machines, clusters and services are administered. */
const PORTS: ReadonlyMap<number, string> = new Map([
  [22, 'SSH'],
  [23, 'Telnet'],
  [135, 'Windows RPC'],
  [445, 'SMB'],
  [2375, 'Docker without TLS'],
  [2376, 'Docker'],
  [2379, 'etcd'],
  [3389, 'Remote Desktop'],
  [5900, 'VNC'],
  [5985, 'WinRM'],
  [5986, 'WinRM over TLS'],
  [6443, 'Kubernetes API'],
  [10250, 'kubelet'],
]);

/** Management ports that the whole internet gets to, by the exposures that stand. */
export const managementPortFindings = derivedFindings({
  rules: derivedRules('ports'),
  async *failures(context) {
    for await (const exposed of context.collection(networkExposures).scan({ exposure: 'public' })) {
      for (const [port, service_name] of PORTS) {
        const open = exposed.ports.find(({ protocol, from, to }) => !/^(udp|icmp)/i.test(protocol) && from <= port && port <= to);
        if (open === undefined) continue;
        const evidence = { protocol: 'tcp', port, service_name, source_ranges: [...exposed.sources], path: exposed.path };
        yield { rule_id: 'palisade-management-port-public', resource: exposed, discriminator: `tcp/${port}`, evidence };
      }
    }
  },
});
