import { ReportItems, type PlaceDraft } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { coverage } from '../../normalize/scope.js';
import type { JsonObject } from '../../readers/json/fields.js';
import { textAt, textOf, textsAt } from '../../readers/xml/fields.js';
import { readXml } from '../../readers/xml/records.js';
import type { ImportItem, ImportOptions, ReportSource } from '../../types.js';
import { dependenciesOf, readDependencyVulnerability } from './vulnerability.js';
import { identifiersOfXml, vulnerabilityOfXml } from './xml.js';

export const ROOT = 'analysis';

const PROJECT = `${ROOT}/projectInfo`;
const DEPENDENCY = `${ROOT}/dependencies/dependency`;
const BEGIN = `${DEPENDENCY}/@`;
const [FILE, PATH, SHA1, IDENTIFIERS, PROJECTS] = ['fileName', 'filePath', 'sha1', 'identifiers', 'projectReferences'].map(
  (name) => `${DEPENDENCY}/${name}`,
) as [string, string, string, string, string];

/** The XML report, of any version. One vulnerability of one dependency is one record; suppressed ones are none. */
export async function* readDependencyCheckXml(
  source: ReportSource,
  options: ImportOptions,
  placeOf: (project: string | undefined, version: string | undefined, options: ImportOptions) => PlaceDraft,
): AsyncGenerator<ImportItem, void, undefined> {
  const facts = new Map<number, JsonObject>();
  let place = placeOf(undefined, undefined, options);
  let index = -1;
  for await (const item of readXml(source, [PROJECT, BEGIN, FILE, PATH, SHA1, IDENTIFIERS, PROJECTS])) {
    if (item.kind === 'open') facts.set(++index, {});
    if (item.kind !== 'value') continue;
    const fact = facts.get(index);
    if (item.path === PROJECT) place = placeOf(textAt(item.value, 'name'), textAt(item.value, 'applicationVersion'), options);
    else if (item.path === IDENTIFIERS) Object.assign(fact ?? {}, identifiersOfXml(item.value));
    else if (item.path === PROJECTS) Object.assign(fact ?? {}, { projectReferences: textsAt(item.value, 'projectReference') });
    else Object.assign(fact ?? {}, { [item.value.name]: textOf(item.value) });
  }
  yield coverage('vulnerability', place.resource_uid, 'dependency_check', options);
  const context = { place, dependencies: dependenciesOf(facts, place.resource_uid), options };
  const items = new ReportItems();
  index = -1;
  yield* importElements(
    readXml(source, [BEGIN, `${DEPENDENCY}/vulnerabilities/vulnerability`]),
    (element, { position }) => readDependencyVulnerability(vulnerabilityOfXml(element), { indices: [index], position }, context, items),
    () => (index++, []),
  );
}
