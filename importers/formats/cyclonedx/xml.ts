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

/** The namespace of vulnerabilities before version 1.4, in which they stand in a bill or in a component of it. */
const EXTENSION = /cyclonedx\.org\/schema\/ext\/vulnerability\//;

/** A vulnerability as the JSON of CycloneDX has it; one of the former extension names what it affects by its attribute `ref`. */
export function vulnerabilityOf(element: XmlElement): JsonObject {
  const object = jsonOf(element);
  if (!EXTENSION.test(element.namespace)) return object;
  const ref = attributeOf(element, 'ref');
  const texts = (list: string, name: string): string[] => childrenOf(childAt(element, list), name).flatMap((one) => textOf(one) ?? []);
  return {
    ...object,
    affects: ref === undefined ? [] : [{ ref }],
    ratings: childrenOf(childAt(element, 'ratings'), 'rating').map((one) => ({
      ...jsonOf(one),
      score: textOf(childAt(one, 'score/base')),
    })),
    advisories: texts('advisories', 'advisory').map((url) => ({ url })),
    recommendation: texts('recommendations', 'recommendation').join('\n') || undefined,
    source: { name: attributeOf(childAt(element, 'source'), 'name'), url: textOf(childAt(element, 'source/url')) },
  };
}

/** The vulnerabilities of the former extension that stand in a component, and in those in it, each with the component. */
export function vulnerabilitiesIn(component: XmlElement): { element: XmlElement; component: XmlElement }[] {
  return [
    ...childrenOf(childAt(component, 'vulnerabilities'), 'vulnerability').map((element) => ({ element, component })),
    ...childrenOf(childAt(component, 'components'), 'component').flatMap(vulnerabilitiesIn),
  ];
}

/** A dependency: what it depends on are elements in it. */
export const dependencyOf = (element: XmlElement): JsonObject => ({
  ref: attributeOf(element, 'ref'),
  dependsOn: childrenOf(element, 'dependency').map((one) => attributeOf(one, 'ref')),
});
