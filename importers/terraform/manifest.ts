import { parse } from 'yaml';
import { kubernetesType } from '../normalize/kubernetes-names.js';
import { configurationOf, isResource, readObject } from '../normalize/kubernetes-object.js';
import { faultOfValue } from '../readers/limits.js';
import { YAML_OPTIONS } from '../readers/yaml/documents.js';
import type { TerraformInstance } from './asset.js';

/** Types that hold an object of a cluster of any kind, by the attribute that it stands in: a value, or YAML as text. */
const HOLDERS: Readonly<Record<string, string>> = {
  kubernetes_manifest: 'manifest',
  kubectl_manifest: 'yaml_body',
  kubectl_server_version_manifest: 'yaml_body',
};

/**
 * A resource that holds an object of a cluster, as the object that it holds: its kind's type and its manifest. Every other resource, and
 * one whose object is not known or is none, is given back as it is.
 */
export function heldObject(instance: TerraformInstance): TerraformInstance {
  const attribute = Object.hasOwn(HOLDERS, instance.type) ? HOLDERS[instance.type]! : undefined;
  if (attribute === undefined) return instance;
  const held = objectIn(instance.values[attribute]);
  if (held === undefined) return instance;
  const { configuration, sensitive } = configurationOf(held);
  return {
    ...instance,
    type: kubernetesType(held.kind, held.apiVersion),
    values: configuration,
    unknown: within(instance.unknown, attribute),
    sensitive: [...within(instance.sensitive, attribute), ...sensitive.map((path) => path.split('.'))],
  };
}

function objectIn(value: unknown) {
  let manifest = value;
  if (typeof value === 'string') {
    try {
      manifest = parse(value, YAML_OPTIONS);
    } catch {
      return undefined;
    }
  }
  if (faultOfValue(manifest) !== null) return undefined;
  const object = readObject(manifest);
  return typeof object === 'string' || !isResource(object) ? undefined : object;
}

/** Paths that lead into an attribute, from there on. */
const within = (paths: TerraformInstance['unknown'], attribute: string): (string | number)[][] =>
  paths.filter(([first, ...rest]) => first === attribute && rest.length > 0).map((path) => path.slice(1));
