import { GLOBAL_REGION } from '../../../schema/model.js';
import { redactText, redactValue } from '../../../redaction/redact.js';
import { kubernetesType, kubernetesUid } from '../../normalize/kubernetes-names.js';
import { configurationOf, type KubernetesObject } from '../../normalize/kubernetes-object.js';
import type { AssetInput, ImportOptions } from '../../types.js';

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const member = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

/** The inventory item of an object. The values of a Secret are redacted, their keys kept. */
export function kubernetesAsset(
  object: KubernetesObject,
  format: string,
  options: ImportOptions,
  place: { position: string; line?: number },
): AssetInput {
  const { apiVersion, kind, name, namespace } = object;
  const { configuration, sensitive } = configurationOf(object);
  const labels = member(configuration.metadata, 'labels');
  const tags = Object.entries(isObject(labels) ? labels : {}).map(([key, value]) => [key, String(value)] as const);
  return {
    resource_uid: kubernetesUid(kind, namespace, name, options),
    resource_type: kubernetesType(kind, apiVersion),
    resource_name: redactText(name),
    provider: 'k8s',
    ...(options.account_id === undefined ? {} : { account_id: options.account_id }),
    region: options.region ?? GLOBAL_REGION,
    ...(tags.length === 0 ? {} : { tags: redactValue(Object.fromEntries(tags)) }),
    configuration,
    ...(sensitive.length === 0 ? {} : { sensitive_paths: sensitive }),
    source: {
      format,
      address: redactText(`${kind}/${namespace === '' ? '' : `${namespace}/`}${name}`),
      ...(place.line === undefined ? {} : { line: place.line }),
    },
    provider_metadata: {
      api_version: redactText(apiVersion),
      kind: redactText(kind),
      ...(namespace === '' ? {} : { namespace: redactText(namespace) }),
    },
    position: place.position,
  };
}
