import { faultOfValue } from '../../readers/limits.js';
import type { ManifestItem } from '../../readers/yaml/documents.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import type { KubernetesEdges } from './edges.js';
import { isResource, readObject } from '../../normalize/kubernetes-object.js';
import { isObject, kubernetesAsset } from './object.js';

/** The objects of a `List`, or of a list of one kind whose objects leave their kind to it, and lists in lists; else the object itself. */
export function* listedObjects(value: unknown, position: string): Generator<[value: unknown, position: string]> {
  const kind = isObject(value) && typeof value['kind'] === 'string' ? value['kind'] : '';
  if (!isObject(value) || !kind.endsWith('List') || !Array.isArray(value['items'])) return yield [value, position];
  const own = kind === 'List' ? {} : { apiVersion: value['apiVersion'], kind: kind.slice(0, -4) };
  for (const [i, inner] of (value['items'] as unknown[]).entries()) {
    if (inner === null) continue;
    yield* listedObjects(isObject(inner) ? { ...own, ...inner } : inner, `${position} items[${i}]`);
  }
}

/** What an object of a cluster becomes: a record, and its asset. */
export function* objectItems(
  item: Exclude<ManifestItem, { kind: 'truncated' }>,
  options: ImportOptions,
  edges: KubernetesEdges,
  format: string,
): Generator<ImportItem> {
  if (item.kind === 'broken') {
    yield item;
    return;
  }
  const fault = faultOfValue(item.value);
  const object = fault === null ? readObject(item.value) : `the document ${fault}`;
  if (typeof object === 'string') {
    yield { kind: 'broken', position: item.position, reason: object };
    return;
  }
  yield { kind: 'record' };
  if (!isResource(object)) return;
  const asset = kubernetesAsset(object, format, options, item);
  asset.resource_uid = edges.claim(object, asset.resource_uid);
  yield { kind: 'asset', asset };
}
