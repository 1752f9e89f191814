import { jsonFormat } from '../../normalize/json-format.js';
import { ReportItems } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { timeAt, timeInXml } from '../../normalize/report-time.js';
import { asObject } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import { readHead } from '../../readers/source.js';
import { attributeOf, textOf } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ReportFormat, ReportSource } from '../../types.js';
import { componentItems, dependencyItems } from './component.js';
import {
  bomContext,
  bomItems,
  newHeader,
  packageOf,
  noteAffected,
  noteComponent,
  noteDependency,
  type BomContext,
  type BomHeader,
} from './document.js';
import { bomVulnerabilityItems } from './vulnerability.js';
import { dependencyOf, jsonOf, vulnerabilitiesIn, vulnerabilityOf } from './xml.js';

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** By this it is seen whether there is a list of components. */
const COMPONENTS = 'components[*].bom-ref';
const HEADER = [
  ...['specVersion', 'serialNumber', 'metadata.component', COMPONENTS],
  ...['vulnerabilities[*].affects', 'vulnerabilities[*].analysis.state'],
];

/** What stands around the records: read first, because it may stand behind them. Of components only what vulnerabilities affect is kept. */
async function readHeader(source: ReportSource): Promise<BomHeader> {
  const header = newHeader();
  for await (const item of readJson(source, HEADER)) {
    if (item.kind === 'array') {
      header.tellsComponents ||= item.path === 'components';
      header.tellsVulnerabilities ||= item.path === 'vulnerabilities';
    }
    if (item.kind !== 'value' || item.path === COMPONENTS) continue;
    if (item.path === 'vulnerabilities[*].analysis.state') header.tellsAnalyses = true;
    else if (item.path === 'specVersion') header.specVersion = text(item.value);
    else if (item.path === 'serialNumber') header.serial = text(item.value);
    else if (item.path === 'metadata.component') header.root = asObject(item.value);
    else noteAffected(header, item.value);
  }
  const paths = ['dependencies[*]', ...(header.affected.size > 0 ? ['components[*]'] : [])];
  for await (const item of readJson(source, paths)) {
    const object = item.kind === 'value' ? asObject(item.value) : undefined;
    if (object === undefined) continue;
    if ('path' in item && item.path === 'components[*]') noteComponent(header, object);
    else noteDependency(header, object);
  }
  return header;
}

const json = jsonFormat<BomContext>({
  name: 'cyclonedx',
  label: 'CycloneDX bill of materials and VEX (JSON and XML)',
  engines: ['vulnerability', 'secops', 'di'],
  detection: 'A JSON object with `bomFormat` CycloneDX, or an XML document with the root `bom` in a namespace of cyclonedx.org.',
  produce: 'syft registry.example.com/app:1.0 -o cyclonedx-json=bom.json',
  outsideClouds: true,
  observedAt: timeAt('metadata.timestamp'),
  expected: 'a CycloneDX bill of materials ({"bomFormat": "CycloneDX", "components": [...]} or <bom>)',
  roots: ['object'],
  isOfFormat: (outline) => outline.get('bomFormat') === 'CycloneDX',
  markers: ['bomFormat'],
  records: ['components[*]', 'vulnerabilities[*]'],
  beside: { 'dependencies[*]': dependencyItems },
  context: async (_, options, source) => bomContext(await readHeader(source), options),
  covers: bomItems,
  convert: (record, { path, position }, context, items) =>
    path === 'components[*]'
      ? componentItems(record, position, context.header.direct)
      : bomVulnerabilityItems(record, position, context, items),
});

const isXml = (head: string): boolean => {
  const outline = outlineXml(head);
  return outline?.root === 'bom' && /^https?:\/\/cyclonedx\.org\/schema\/bom\//.test(outline.namespace);
};

const [BOM, ROOT, ALL, COMPONENT] = ['bom/@', 'bom/metadata/component', 'bom/components/@', 'bom/components/component'];
const [DEPENDENCY, VULNERABILITIES, VULNERABILITY] = [
  'bom/dependencies/dependency',
  'bom/vulnerabilities/@',
  'bom/vulnerabilities/vulnerability',
];

/** As `readHeader`, of XML. */
async function readXmlHeader(source: ReportSource): Promise<BomHeader> {
  const header = newHeader();
  for await (const item of readXml(source, [
    BOM,
    ROOT,
    ALL,
    VULNERABILITIES,
    `${COMPONENT}/vulnerabilities/@`,
    `${VULNERABILITY}/@`,
    `${VULNERABILITY}/affects`,
    `${VULNERABILITY}/analysis/state`,
  ])) {
    if (item.kind === 'open' && item.path === BOM) {
      header.specVersion = /\/bom\/([\d.]+)/.exec(item.value.namespace)?.[1];
      header.serial = attributeOf(item.value, 'serialNumber');
    } else if (item.kind === 'open' && item.path === ALL) header.tellsComponents = true;
    else if (item.kind === 'open') {
      header.tellsVulnerabilities = true;
      const ref = attributeOf(item.value, 'ref');
      if (ref !== undefined) noteAffected(header, [{ ref }]);
    } else if (item.kind === 'value' && item.path === ROOT) header.root = jsonOf(item.value);
    else if (item.kind === 'value' && item.path.endsWith('/state')) header.tellsAnalyses = true;
    else if (item.kind === 'value') noteAffected(header, jsonOf({ ...item.value, content: [item.value] })['affects']);
  }
  for await (const item of readXml(source, [DEPENDENCY, ...(header.affected.size > 0 ? [COMPONENT] : [])])) {
    if (item.kind !== 'value') continue;
    if (item.path === COMPONENT) noteComponent(header, jsonOf(item.value));
    else noteDependency(header, dependencyOf(item.value));
  }
  return header;
}

/** CycloneDX 1.2 to 1.6, in XML 1.1 as well with the extension that vulnerabilities had then. A component with those in it, or a vulnerability, is one record; analyses of vulnerabilities (VEX) are read with them. */
export const format: ReportFormat = {
  ...json,
  detect: (head) => isXml(head) || json.detect(head),
  observedAt: async (source) =>
    isXml(await readHead(source)) ? timeInXml('bom/metadata/timestamp', textOf)(source) : timeAt('metadata.timestamp')(source),
  async *read(source, options) {
    if (!isXml(await readHead(source))) {
      yield* json.read(source, options);
      return;
    }
    const context = bomContext(await readXmlHeader(source), options);
    yield* bomItems(context);
    const items = new ReportItems();
    yield* importElements(
      readXml(source, [COMPONENT, VULNERABILITY, DEPENDENCY]),
      (element, { path, position }) =>
        path === COMPONENT
          ? [
              ...componentItems(jsonOf(element), position, context.header.direct),
              ...vulnerabilitiesIn(element).flatMap(({ element: told, component }) => {
                const ref = attributeOf(told, 'ref');
                if (ref !== undefined) context.header.affected.set(ref, packageOf(jsonOf(component)));
                return bomVulnerabilityItems(vulnerabilityOf(told), position, context, items);
              }),
            ]
          : bomVulnerabilityItems(vulnerabilityOf(element), position, context, items),
      undefined,
      { [DEPENDENCY]: (element) => dependencyItems(dependencyOf(element)) },
    );
  },
};
