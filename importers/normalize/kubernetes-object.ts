import { REDACTED } from '../../redaction/secret-keys.js';
import { redactText, redactValue } from '../../redaction/redact.js';
import { isClusterKind } from './kubernetes-names.js';

type Json = Readonly<Record<string, unknown>>;

/** A Kubernetes object that says what it is. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  name: string;
  /** Empty for what is not in a namespace. */
  namespace: string;
  body: Json;
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What is no part of the configuration: it repeats the object, or belongs to the server. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Kinds that hold a scanner's results or a tool's settings rather than a resource of the cluster. */
const FOREIGN_GROUP = /^(?:aquasecurity\.github\.io|wgpolicyk8s\.io|kustomize\.config\.k8s\.io|spdx\.softwarecomposition\.kubescape\.io)\//;

/** Whether an object is a resource of a cluster, not a report about one. */
export function isResource(object: KubernetesObject): boolean {
  return !FOREIGN_GROUP.test(object.apiVersion);
}

/** Reads a manifest's identity. Returns what is wrong with it where it is no Kubernetes object. */
export function readObject(value: unknown): KubernetesObject | string {
  if (!isObject(value)) return 'the document is not an object';
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || kind === '' || apiVersion === '')
    return 'the document has no apiVersion or kind';
  // Files of tools (a kubeconfig, a kubelet's settings) have a kind too, and are no objects of a cluster.
  if (!isObject(metadata)) return `the ${kind.slice(0, 80)} has no metadata`;
  const given = metadata['name'] ?? metadata['generateName'];
  const name = typeof given === 'number' ? String(given) : text(given);
  const namespace = isClusterKind(kind) ? '' : text(metadata['namespace']) || 'default';
  // The cluster would refuse it, and its configuration can be judged all the same.
  return { apiVersion, kind, name: name === '' ? 'unnamed' : name, namespace, body: value };
}

/** An object as it is stored: without what the server keeps beside it, secrets masked, those of a Secret all. */
export function configurationOf({ kind, body }: KubernetesObject): { configuration: Record<string, unknown>; sensitive: string[] } {
  const { metadata, ...rest } = body;
  const { managedFields: _managed, annotations, ...kept } = isObject(metadata) ? metadata : {};
  const notes = isObject(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED))
    : annotations;
  const plain: Record<string, unknown> = { ...rest, metadata: { ...kept, ...(notes === undefined ? {} : { annotations: notes }) } };
  const sensitive: string[] = [];
  if (kind === 'Secret') {
    for (const field of ['data', 'stringData']) {
      const held = plain[field];
      if (held === undefined || held === null) continue;
      plain[field] = isObject(held) ? Object.fromEntries(Object.keys(held).map((key) => [key, REDACTED])) : REDACTED;
      if (isObject(held)) sensitive.push(...Object.keys(held).map((key) => redactText(`${field}.${key}`)));
    }
  }
  return { configuration: redactValue(plain), sensitive };
}
