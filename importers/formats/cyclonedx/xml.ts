import type { JsonObject } from '../../readers/json/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { attributeOf, childAt, childrenOf, textOf } from '../../readers/xml/fields.js';

/** Lists of a bill in XML: the element around them, and the elements in them. */
const LISTS: Readonly<Record<string, string>> = {
  components: 'component',
  hashes: 'hash',
  licenses: '*',
  properties: 'property',
  ratings: 'rating',
  references: 'reference',
  advisories: 'advisory',
  cwes: 'cwe',
};

/** An element of a bill as the JSON of CycloneDX has it, so that one mapping serves both. */
export function jsonOf(element: XmlElement): JsonObject {
  const object: Record<string, unknown> = { ...element.attributes };
  for (const child of childrenOf(element)) {
    const { name } = child;
    if (Object.hasOwn(LISTS, name)) object[name] = listOf(child, LISTS[name]!);
    else if (name === 'affects') object['affects'] = childrenOf(child, 'target').map(targetOf);
    else if (name === 'responses') object['response'] = childrenOf(child, 'response').map(textOf);
    else if (!Object.hasOwn(object, name)) object[name] = isLeaf(child) ? textOf(child) : jsonOf(child);
  }
  return object;
}

const isLeaf = (element: XmlElement): boolean => childrenOf(element).length === 0;

function listOf(element: XmlElement, name: string): unknown[] {
  if (name === '*') return childrenOf(element).map((one) => ({ [one.name]: isLeaf(one) ? textOf(one) : jsonOf(one) }));
  return childrenOf(element, name).map((one) => {
    if (name === 'cwe') return textOf(one);
    if (name === 'hash') return { alg: attributeOf(one, 'alg'), content: textOf(one) };
    if (name === 'property') return { name: attributeOf(one, 'name'), value: textOf(one) };
    return jsonOf(one);
  });
}

const targetOf = (target: XmlElement): JsonObject => ({
  ref: textOf(childAt(target, 'ref')),
  versions: childrenOf(childAt(target, 'versions'), 'version').map(jsonOf),
});

/** A dependency: what it depends on are elements in it. */
export const dependencyOf = (element: XmlElement): JsonObject => ({
  ref: attributeOf(element, 'ref'),
  dependsOn: childrenOf(element, 'dependency').map((one) => attributeOf(one, 'ref')),
});
