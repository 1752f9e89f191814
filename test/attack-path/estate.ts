import type { AttackGraph } from '../../kit/graph/graph.js';
import { findPaths } from '../../kit/graph/search.js';
import type { GraphEdge } from '../../kit/read/attack-graph.js';
import type { Provider } from '../../schema/model.js';
import { assemble } from '../../subgraphs/attack-path/estate/assemble.js';
import { chokePointsOf } from '../../subgraphs/attack-path/choke-points.js';
import { draftOf } from '../../subgraphs/attack-path/draft.js';
import { Estate } from '../../subgraphs/attack-path/estate/estate.js';
import type { EstateAsset, EstatePart, NamedJewel, Role } from '../../subgraphs/attack-path/estate/types.js';
import type { Signal } from '../../subgraphs/attack-path/model/model.js';

/** An estate in few words: `web: aws workload aws_instance`, `web runs_as role`, `role may_access:read! bucket` (`!` with a condition). */
export interface Sketch {
  /** name -> `<provider> <role> [resource type] [account]`; the name is the uid. */
  readonly assets: Readonly<Record<string, string>>;
  readonly edges?: readonly string[];
  /** `name: port, port` of what the internet reaches. */
  readonly exposed?: Readonly<Record<string, readonly number[]>>;
  /** `signal on name`. */
  readonly signals?: readonly string[];
  /** name -> `CVE package vector-or-score [epss] [known]`. */
  readonly holes?: Readonly<Record<string, string>>;
  readonly jewels?: Readonly<Record<string, NamedJewel['tier']>>;
  /** Segment of a network -> its workloads. */
  readonly segments?: Readonly<Record<string, readonly string[]>>;
  /** `segment -> name: port, port` of what the workloads of a segment get to. */
  readonly reaches?: readonly string[];
  /** Scope -> what it is about. */
  readonly scopes?: Readonly<Record<string, { types: string[]; within: string[]; except?: string[] }>>;
}

export const RCE = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H';
export const DENIAL = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H';
export const NEEDS_ACCOUNT = 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H';

const accountOf = (provider: string): string => `${provider}-1`;

function assetOf([uid, text]: [string, string]): EstateAsset {
  const [provider, role, type, account] = text.split(' ') as [Provider, Role, string?, string?];
  return {
    ...{ resource_uid: uid, resource_type: type ?? `${provider}_${role}`, resource_name: uid, provider, region: 'global', role },
    ...{ account_id: account ?? accountOf(provider), data_classes: [], criticality: null, environment: null },
    ...{ containers: [account ?? accountOf(provider)], names: [uid] },
  };
}

export function edgeOf(text: string): GraphEdge {
  const [from, what, to, way] = text.split(' ') as [string, string, string, string?];
  const [, kind, privilege, condition] = /^(\w+?)(?::(\w+))?(!)?$/.exec(what)!;
  const isAccess = ['may_access', 'may_assume', 'escalates_to'].includes(kind!);
  const access = { privilege: (privilege ?? null) as 'read' | null, conditional: condition !== undefined, way: way ?? null, by: [] };
  return { from, to, kind: kind as GraphEdge['kind'], via: null, access: isAccess ? access : null };
}

function reachOf(text: string) {
  const [, from, to, ports] = /^(\S+) -> (\S+): (.*)$/.exec(text)!;
  return { from: from!, to: [to!], ports: ports!.split(', ').map((port) => ({ protocol: 'tcp', from: Number(port), to: Number(port) })) };
}

export function partOf({ assets, edges, exposed, signals, holes, jewels, scopes, segments, reaches }: Sketch): EstatePart {
  return {
    assets: Object.entries(assets).map(assetOf),
    edges: (edges ?? []).map(edgeOf),
    exposures: Object.entries(exposed ?? {}).map(([resource_uid, ports]) => ({
      ...{ resource_uid, exposure: 'public' as const },
      ports: ports.map((port) => ({ protocol: 'tcp', from: port, to: port })),
    })),
    signals: (signals ?? []).map((text) => {
      const [signal, , resource_uid] = text.split(' ') as [Signal, string, string];
      return {
        signal,
        resource_uid,
        engine: 'check',
        finding_id: `finding-${signal}-${resource_uid}`,
        rule_id: signal,
        text: signal,
        rank: 0,
        isOtherwise: false,
      };
    }),
    vulnerabilities: Object.entries(holes ?? {}).map(([resource_uid, text]) => {
      const [rule_id, package_name, how, epss, known] = text.split(' ') as [string, string, string, string?, string?];
      const isVector = how.includes('AV:');
      return {
        ...{ resource_uid, rule_id, package_name, engine: 'vulnerability', finding_id: `finding-${rule_id}` },
        ...{ vector: isVector ? how : null, cvss: isVector ? null : Number(how), epss: epss === undefined ? null : Number(epss) },
        known_exploited: known === 'known',
        cwes: rule_id === 'CVE-2024-0918' ? ['CWE-918'] : [],
      };
    }),
    jewels: Object.entries(jewels ?? {}).map(([resource_uid, tier]) => ({ resource_uid, tier, origin: 'proposed', reason: 'told' })),
    neighbourhood: {
      segments: Object.entries(segments ?? {}).map(([uid, members]) => ({
        ...{ uid, name: `the workloads of ${uid}`, provider: 'aws', account_id: 'aws-1', members: [...members] },
      })),
      reaches: (reaches ?? []).map(reachOf),
    },
    accessNodes: Object.entries(scopes ?? {}).map(([uid, { types, within, except }]) => {
      const [provider] = uid.split('/') as [Provider];
      const scope = { provider, within, resource_types: types, pattern: null, except: except ?? [], privilege: 'read' as const };
      return { uid, type: 'access_scope', name: uid, provider, account_id: within[0]!, scope };
    }),
  };
}

export function graphOf(sketch: Sketch): AttackGraph {
  const estate = new Estate();
  estate.add(partOf(sketch));
  return assemble(estate);
}

/** Every path in a line: where the attacker stands and what he does, and how likely it is. */
export function pathsOf(sketch: Sketch): string[] {
  const graph = graphOf(sketch);
  return findPaths(graph).paths.map((path) => {
    const { nodes, steps, likelihood } = draftOf(graph, path);
    const names = nodes.map(({ uid, hold }) => (hold === null || hold === 'code' ? uid : `${uid}(${hold})`));
    const way = steps.map(({ kind }, n) => `-${kind}-> ${names[n + 1]}`).join(' ');
    return `${names[0]} ${way} ${likelihood.toFixed(3)}`;
  });
}

/** Every fix in a line: where, what it takes away, paths broken, jewels freed, and likelihood times value that disappears. */
export function pointsOf(sketch: Sketch): string[] {
  const graph = graphOf(sketch);
  const rows = findPaths(graph).paths.map((path) => {
    const draft = draftOf(graph, path);
    return { ...draft, resource_uid: draft.target, nodes: [...draft.nodes], steps: [...draft.steps] };
  });
  return chokePointsOf(rows).map(
    ({ resource_uid, cause, paths_broken, jewels_freed, weight_removed }) =>
      `${resource_uid}: ${cause}: ${paths_broken} ${jewels_freed} ${weight_removed.toFixed(3)}`,
  );
}
