import type { EdgeKind } from '../../../schema/model.js';
import type { KubernetesObject } from '../../normalize/kubernetes-object.js';
import { isObject, member, objects, text, type Json } from './object.js';

/** Something that an object refers to by kind and name, in its own namespace unless it says another. */
export interface Target {
  kind: string;
  name: string;
  namespace?: string;
  edge: EdgeKind;
  /** The edge leads from what is referred to. */
  reversed?: true;
}

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];

/** The pod specification of a workload and the labels of its pods; undefined for what runs no pods. */
export function podOf({ kind, body }: KubernetesObject): { spec: Json; labels: Json } | undefined {
  const spec = kind === 'PodTemplate' ? body : body.spec;
  if (kind === 'Pod') return isObject(spec) ? { spec, labels: labelsOf(body) } : undefined;
  const template = kind === 'CronJob' ? member(member(member(spec, 'jobTemplate'), 'spec'), 'template') : member(spec, 'template');
  const inner = member(template, 'spec');
  return isObject(inner) && Array.isArray(inner.containers) ? { spec: inner, labels: labelsOf(template) } : undefined;
}

function labelsOf(holder: unknown): Json {
  const labels = member(member(holder, 'metadata'), 'labels');
  return isObject(labels) ? labels : {};
}

/** What a pod uses: secrets, config maps, volume claims, its service account. */
export function podTargets(spec: Json): Target[] {
  const targets: Target[] = [];
  const add = (kind: string, name: unknown, edge: EdgeKind): void => {
    if (typeof name === 'string' && name !== '') targets.push({ kind, name, edge });
  };
  add('ServiceAccount', spec.serviceAccountName ?? spec.serviceAccount ?? 'default', 'runs_as');
  for (const secret of objects(spec.imagePullSecrets)) add('Secret', secret.name, 'reads_secret');
  for (const volume of objects(spec.volumes)) {
    for (const part of [volume, ...objects(member(volume.projected, 'sources'))]) {
      add('Secret', member(part.secret, 'secretName') ?? member(part.secret, 'name'), 'reads_secret');
      add('ConfigMap', member(part.configMap, 'name'), 'refers_to');
    }
    add('PersistentVolumeClaim', member(volume.persistentVolumeClaim, 'claimName'), 'attached_to');
  }
  for (const container of CONTAINERS.flatMap((key) => objects(spec[key]))) {
    for (const source of [...objects(container.envFrom), ...objects(container.env).map((variable) => variable.valueFrom)]) {
      add('Secret', member(member(source, 'secretRef') ?? member(source, 'secretKeyRef'), 'name'), 'reads_secret');
      add('ConfigMap', member(member(source, 'configMapRef') ?? member(source, 'configMapKeyRef'), 'name'), 'refers_to');
    }
  }
  return targets;
}

/** What any other object refers to: owners, roles and subjects, services behind an ingress, its namespace. */
export function objectTargets({ kind, namespace, body }: KubernetesObject): Target[] {
  const targets: Target[] = [];
  const add = (target: string, name: unknown, edge: EdgeKind, where?: unknown, reversed?: true): void => {
    if (target !== '' && typeof name === 'string' && name !== '') {
      const namespace = typeof where === 'string' && where !== '' ? { namespace: where } : {};
      targets.push({ kind: target, name, edge, ...namespace, ...(reversed && { reversed }) });
    }
  };
  for (const owner of objects(member(body.metadata, 'ownerReferences'))) add(text(owner.kind), owner.name, 'contains', undefined, true);
  if (namespace !== '') add('Namespace', namespace, 'contains', undefined, true);
  if (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') {
    add(text(member(body.roleRef, 'kind')), member(body.roleRef, 'name'), 'refers_to');
    for (const subject of objects(body.subjects)) add(text(subject.kind), subject.name, 'refers_to', subject.namespace);
  }
  if (kind === 'ServiceAccount') {
    for (const secret of [...objects(body.secrets), ...objects(body.imagePullSecrets)]) add('Secret', secret.name, 'reads_secret');
  }
  if (kind === 'Ingress') {
    const rules = objects(member(body.spec, 'rules')).flatMap((rule) => objects(member(rule.http, 'paths')));
    const backends = [...rules.map((path) => path.backend), member(body.spec, 'defaultBackend'), member(body.spec, 'backend')];
    for (const backend of backends)
      add('Service', member(member(backend, 'service'), 'name') ?? member(backend, 'serviceName'), 'routes_to');
    for (const tls of objects(member(body.spec, 'tls'))) add('Secret', tls.secretName, 'reads_secret');
  }
  if (kind === 'HorizontalPodAutoscaler') {
    const scaled = member(body.spec, 'scaleTargetRef');
    add(text(member(scaled, 'kind')), member(scaled, 'name'), 'refers_to');
  }
  if (kind === 'StatefulSet') add('Service', member(body.spec, 'serviceName'), 'refers_to');
  if (kind === 'PersistentVolumeClaim') add('PersistentVolume', member(body.spec, 'volumeName'), 'attached_to');
  return targets;
}
