import type { KubernetesObject } from '../../normalize/kubernetes-object.js';
import { isObject, member, objects, type Json } from './object.js';
import { objectTargets, podOf, podTargets, type Target } from './pod.js';
import type { EdgeKind } from '../../../schema/model.js';
import type { EdgeInput } from '../../types.js';

interface Selector {
  from: string;
  namespace: string;
  selector: Json;
  edge: EdgeKind;
  /** The edge leads from what is selected. */
  reversed?: true;
}

/** Collects what objects refer to and select; the edges come once all objects of the report are known. */
export class KubernetesEdges {
  private readonly uids = new Map<string, string>();
  private readonly targets: { from: string; namespace: string; target: Target }[] = [];
  private readonly selectors: Selector[] = [];
  private readonly workloads = new Map<string, { uid: string; labels: Json }[]>();
  private readonly taken = new Map<string, number>();
  private readonly namespaces: string[] = [];

  /** @param cluster the resource that runs the objects, where the caller names it */
  constructor(private readonly cluster?: string) {}

  /** Takes an object; returns its uid, which is made distinct where another object of the report has the same name. */
  claim(object: KubernetesObject, uid: string): string {
    const { kind, namespace, name, body } = object;
    const times = (this.taken.get(uid) ?? 0) + 1;
    this.taken.set(uid, times);
    const own = times === 1 ? uid : `${uid}#${times}`;
    const key = keyOf(kind, namespace, name);
    if (!this.uids.has(key)) this.uids.set(key, own);
    if (kind === 'Namespace') this.namespaces.push(own);
    const pod = podOf(object);
    for (const target of [...objectTargets(object), ...(pod === undefined ? [] : podTargets(pod.spec))])
      this.targets.push({ from: own, namespace, target });
    if (pod !== undefined) {
      const inNamespace = this.workloads.get(namespace) ?? [];
      inNamespace.push({ uid: own, labels: pod.labels });
      this.workloads.set(namespace, inNamespace);
    }
    if (kind === 'Service' && isObject(member(body.spec, 'selector')))
      this.selectSome({ from: own, namespace, selector: { matchLabels: member(body.spec, 'selector') }, edge: 'exposes' });
    const guarding = member(body.spec, 'podSelector');
    if (kind === 'NetworkPolicy' && isObject(guarding))
      this.selectors.push({ from: own, namespace, selector: guarding, edge: 'guarded_by', reversed: true });
    const budgeted = member(body.spec, 'selector');
    if (kind === 'PodDisruptionBudget' && isObject(budgeted))
      this.selectors.push({ from: own, namespace, selector: budgeted, edge: 'refers_to' });
    return own;
  }

  /** The edges, each once. What is referred to and not in the report gives none. */
  *edges(): Generator<EdgeInput> {
    const seen = new Set<string>();
    for (const edge of this.all()) {
      const id = `${edge.from}\n${edge.kind}\n${edge.to}`;
      if (edge.from === edge.to || seen.has(id)) continue;
      seen.add(id);
      yield edge;
    }
  }

  private *all(): Generator<EdgeInput> {
    if (this.cluster !== undefined) for (const to of this.namespaces) yield { from: this.cluster, to, kind: 'contains' };
    for (const { from, namespace, target } of this.targets) {
      const { kind, name, edge, reversed } = target;
      const to = this.uids.get(keyOf(kind, target.namespace ?? namespace, name)) ?? this.uids.get(keyOf(kind, '', name));
      if (to !== undefined) yield { from, to, kind: edge, ...(reversed && { reversed }) };
    }
    for (const { from, namespace, selector, edge, reversed } of this.selectors) {
      for (const { uid, labels } of this.workloads.get(namespace) ?? [])
        if (matches(selector, labels)) yield { from, to: uid, kind: edge, ...(reversed && { reversed }) };
    }
  }

  /** A service without a selector selects nothing; an empty pod selector of a policy selects everything. */
  private selectSome(selector: Selector): void {
    if (Object.keys(isObject(selector.selector.matchLabels) ? selector.selector.matchLabels : {}).length > 0) this.selectors.push(selector);
  }
}

const keyOf = (kind: string, namespace: string, name: string): string => `${kind}\n${namespace}\n${name}`;

function matches(selector: Json, labels: Json): boolean {
  const wanted = isObject(selector.matchLabels) ? Object.entries(selector.matchLabels) : [];
  if (!wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)) return false;
  return objects(selector.matchExpressions).every(({ key, operator, values }) => {
    const held = typeof key === 'string' && Object.hasOwn(labels, key);
    const listed = held && Array.isArray(values) && values.includes(labels[key as string]);
    if (operator === 'In') return listed;
    if (operator === 'NotIn') return !listed;
    return operator === 'Exists' ? held : operator === 'DoesNotExist' && !held;
  });
}
