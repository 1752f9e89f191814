import { isAdministrator } from '../../../catalog/access/edges/types.js';
import { INTERNET, type Condition } from '../../../kit/graph/types.js';
import type { Assembly } from './assembly.js';
import { signalled, stated } from './conditions.js';
import { portsInWords, type Front } from './fronts.js';
import { waysIn } from './ways-in.js';
import { Weaknesses } from './weaknesses.js';

/** Pods of one node that are told. */
const MOST_PODS = 200;
/** Machines, whose metadata service answers whoever asks from there. */
const MACHINE = /instance|virtual_machine|compute|node|launch|notebook/i;

/** The steps from what an attacker holds to what that lets him hold. */
export function addMovements(assembly: Assembly): void {
  addIdentities(assembly);
  addEscapes(assembly);
  addEscalations(assembly);
  addNeighbours(assembly);
  addCredentials(assembly);
  addSupply(assembly);
}

/** The identities that code runs as; what stands between a machine and its role is passed over. */
function addIdentities(assembly: Assembly): void {
  const { estate } = assembly;
  const runsAs = estate.edgesOf('runs_as');
  const identitiesOf = (uid: string): string[] =>
    runsAs.outOf(uid).flatMap((to) => {
      const behind = estate.runsCode(to) ? [] : runsAs.outOf(to);
      return behind.length > 0 ? behind : [to];
    });
  for (const [uid, { role, resource_type }] of estate.assets) {
    if (role !== 'workload') continue;
    const own = estate.withTemplates(uid);
    for (const identity of new Set(own.flatMap(identitiesOf))) {
      // no other step has the same
      const runs = [stated('di', `It runs as ${identity}`, `runs_as:${uid}`)];
      assembly.step(assembly.node(uid, 'code'), assembly.holder(identity), 'identity_of_code', 'code_to_identity', runs);
      const forged = assembly.builder.find(uid, 'forged_requests');
      if (forged === undefined) continue;
      const [finding] = own.flatMap((one) => estate.signals(one, 'metadata_v1'));
      const isOpen = finding !== undefined && MACHINE.test(resource_type);
      const told = isOpen ? [signalled(finding, `metadata_v1:${uid}`)] : [];
      const figure = isOpen ? 'forged_requests_metadata_v1' : 'forged_requests_metadata_v2';
      assembly.step(forged, assembly.holder(identity), 'identity_of_code', figure, [...runs, ...told]);
    }
  }
}

/** From containers that may break out to the nodes of their cluster, and from there to its other pods. */
function addEscapes(assembly: Assembly): void {
  const { estate } = assembly;
  const contains = estate.edgesOf('contains');
  const clusterOf = (uid: string) =>
    [...uid.matchAll(/\//g)].map(({ index }) => uid.slice(0, index)).find((part) => estate.assets.get(part)?.role === 'cluster');
  const escaping = new Map<string, Map<string, Condition>>();
  for (const fact of estate.allSignals('escape')) {
    const { resource_uid } = fact;
    const cluster = clusterOf(resource_uid);
    if (cluster === undefined || !estate.runsCode(resource_uid)) continue;
    const own = escaping.get(cluster) ?? new Map<string, Condition>();
    escaping.set(cluster, own);
    if (!own.has(resource_uid)) own.set(resource_uid, signalled(fact));
  }
  for (const [cluster, pods] of escaping) {
    const nodes = contains.outOf(cluster).filter((uid) => /node_(?:group|pool)|_node$/.test(estate.assets.get(uid)?.resource_type ?? ''));
    const neighbours = [...estate.assets.keys()]
      .filter((uid) => uid.startsWith(`${cluster}/`) && estate.runsCode(uid) && !pods.has(uid))
      .slice(0, MOST_PODS);
    for (const node of nodes) {
      for (const [pod, condition] of pods)
        assembly.step(assembly.node(pod, 'code'), assembly.node(node, 'code'), 'container_escape', 'container_escape', [condition]);
      const fact = assembly.fact('di', 'Pods of the cluster run on its nodes', `node:${node}`);
      for (const pod of neighbours)
        assembly.step(assembly.node(node, 'code'), assembly.node(pod, 'code'), 'container_escape', 'node_to_its_pods', fact);
    }
  }
}

/** Identities that come to the rights of others, or to all of them. */
function addEscalations(assembly: Assembly): void {
  const { estate } = assembly;
  for (const kind of ['may_assume', 'escalates_to'] as const)
    for (const { from, to, access } of estate.edgesOf(kind).all()) {
      if (from === INTERNET) continue;
      if (!isAdministrator(to) && estate.assets.get(to) === undefined) continue;
      const figure = access?.conditional === true ? 'escalation_conditional' : 'escalation';
      assembly.step(assembly.holder(from), assembly.holder(to), 'escalation', figure, assembly.granted(from, to, access));
    }
}

/** What workloads get to inside of their network, and what handles what is written somewhere, as far as they are weak. */
function addNeighbours(assembly: Assembly): void {
  const { estate } = assembly;
  const weaknesses = new Weaknesses(estate);
  for (const { from, to } of estate.edgesOf('triggers').all()) {
    if (from === INTERNET || !estate.runsCode(to)) continue;
    const fact = assembly.fact('di', 'What is written there is handed to it', `triggers:${from}`);
    for (const { hold, probability, condition } of weaknesses.of(to, null))
      assembly.step(assembly.node(from, 'write'), assembly.node(to, hold), 'lateral_movement', probability, [...fact, condition]);
  }
  const entered = new Set<string>();
  for (const { from, to, ports } of estate.reaches) {
    const tcp = ports.filter(({ protocol }) => protocol === 'tcp');
    const fact = assembly.fact('network-security', `The network lets it through to ${portsInWords(tcp)}`, `reaches:${from}`);
    const front: Front = { uid: from, ports: tcp, condition: fact[0]! };
    for (const uid of to)
      for (const { node, figure, condition } of waysIn(assembly, weaknesses, uid, [front])) {
        assembly.step(assembly.node(from), node, 'lateral_movement', figure, [...fact, condition]);
        entered.add(from);
      }
  }
  for (const segment of entered) {
    const fact = assembly.fact('network-security', `Its network treats it as ${estate.segments.get(segment)!.name}`, `segment:${segment}`);
    for (const member of estate.segments.get(segment)!.members)
      if (estate.runsCode(member))
        assembly.step(assembly.node(member, 'code'), assembly.node(segment), 'within_network', 'within_network', fact);
  }
}

/** What credentials that were read open, and the secrets that workloads read. */
function addCredentials(assembly: Assembly): void {
  const { estate } = assembly;
  for (const { from, to } of estate.edgesOf('credential_for').all()) {
    const { role } = estate.assets.get(from) ?? {};
    if (role !== 'secret' && role !== 'key') continue;
    const fact = assembly.fact('di', `It is a credential of ${to}`, `credential:${from}`);
    assembly.step(assembly.node(from), assembly.holder(to), 'stolen_credential', 'stolen_credential', fact);
  }
  for (const { from, to } of estate.edgesOf('reads_secret').all()) {
    const users = [from, ...estate.edgesOf('built_from').into(from)].filter((uid) => estate.runsCode(uid));
    const fact = assembly.fact('di', 'It is configured to read it', `reads_secret:${from}`);
    for (const user of users) assembly.step(assembly.node(user, 'code'), assembly.node(to), 'data_access', 'data_access', fact);
  }
}

/** Code, images and pipelines that become what runs: who may write them runs code there. */
function addSupply(assembly: Assembly): void {
  const { estate } = assembly;
  const add = (source: string, made: string, text: string): void => {
    const hold = estate.runsCode(made) ? 'code' : 'write';
    const fact = assembly.fact('di', text, `supply:${source}`);
    assembly.step(assembly.node(source, 'write'), assembly.node(made, hold), 'supply_chain', 'supply_chain', fact);
  };
  for (const { from, to } of estate.edgesOf('deploys').all()) add(from, to, 'It is deployed from there');
  for (const { from, to } of estate.edgesOf('built_from').all()) if (!estate.runsCode(to)) add(to, from, 'It is made from it');
  for (const { from, to } of estate.edgesOf('uses_image').all()) add(to, from, 'It runs this image');
}
