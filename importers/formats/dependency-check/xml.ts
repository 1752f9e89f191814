import { attributeOf, childAt, childrenOf, textAt, textsAt } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { compact, type JsonObject } from '../../readers/json/fields.js';

/** Parts of the vector of CVSS 3 and their elements; of each value the vector has the first letter. */
const METRICS = {
  AV: 'attackVector',
  AC: 'attackComplexity',
  PR: 'privilegesRequired',
  UI: 'userInteraction',
  S: 'scope',
  C: 'confidentialityImpact',
  I: 'integrityImpact',
  A: 'availabilityImpact',
} as const;

/** The element `vulnerability` as the JSON report has it. */
export function vulnerabilityOfXml(element: XmlElement): JsonObject {
  const [v2, v3, v4] = ['cvssV2', 'cvssV3', 'cvssV4'].map((name) => childAt(element, name));
  const exploited = childAt(element, 'knownExploitedVulnerability');
  return compact({
    name: textAt(element, 'name'),
    source: attributeOf(element, 'source'),
    severity: textAt(element, 'severity'),
    description: textAt(element, 'description'),
    notes: textAt(element, 'notes'),
    // before version 5 of the tool one score of CVSS 2 stood in the vulnerability itself
    cvssv2: { score: textAt(v2, 'score') ?? textAt(element, 'cvssScore') },
    cvssv3: v3 && { baseScore: textAt(v3, 'baseScore'), version: textAt(v3, 'version'), vectorString: vectorOf(v3) },
    cvssv4: v4 && { baseScore: textAt(v4, 'baseScore'), vectorString: textAt(v4, 'vectorString') },
    cwes: textsAt(childAt(element, 'cwes') ?? element, 'cwe'),
    references: childrenOf(childAt(element, 'references'), 'reference').map((reference) => ({ url: textAt(reference, 'url') })),
    vulnerableSoftware: childrenOf(childAt(element, 'vulnerableSoftware'), 'software').map(({ attributes }) => ({ software: attributes })),
    knownExploitedVulnerability: exploited && {
      dateAdded: textAt(exploited, 'dateAdded'),
      dueDate: textAt(exploited, 'dueDate'),
      requiredAction: textAt(exploited, 'requiredAction'),
    },
  });
}

function vectorOf(v3: XmlElement): string | undefined {
  const parts = Object.entries(METRICS).map(([short, name]) => [short, textAt(v3, name)?.charAt(0).toUpperCase()]);
  if (parts.some(([, letter]) => letter === undefined)) return undefined;
  return `CVSS:${textAt(v3, 'version') ?? '3.0'}/${parts.map((part) => part.join(':')).join('/')}`;
}

/** The element `identifiers` as members of the JSON report's dependency, of the schema of today and of that before version 5. */
export function identifiersOfXml(element: XmlElement): JsonObject {
  const idsOf = (name: string): { id: string }[] => childrenOf(element, name).flatMap((one) => idOf(textAt(one, 'id')));
  const former = childrenOf(element, 'identifier').map((one) => ({
    type: attributeOf(one, 'type'),
    name: textAt(one, 'name')?.replace(/^\((.*)\)$/, '$1') ?? '',
  }));
  const coordinates = former.flatMap(({ type, name }) => {
    const [, group, artifact, version] = /^([^:\s]+):([^:\s]+):([^:\s]+)$/.exec(name) ?? [];
    return type === 'maven' && group !== undefined ? [{ id: `pkg:maven/${group}/${artifact}@${version}` }] : [];
  });
  return {
    packages: [...idsOf('package'), ...coordinates],
    vulnerabilityIds: [...idsOf('vulnerabilityIds'), ...former.flatMap(({ type, name }) => (type === 'cpe' ? [{ id: name }] : []))],
  };
}

const idOf = (id: string | undefined): { id: string }[] => (id === undefined ? [] : [{ id }]);
