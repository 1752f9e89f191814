import { jsonFormat } from '../../normalize/json-format.js';
import { ReportItems } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { timeAt, timeInXml } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { originOf } from '../../normalize/web-finding.js';
import { objectsAt, textAt, type JsonObject, plainText } from '../../readers/json/fields.js';
import { readHead } from '../../readers/source.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { ancestorOf, attributeOf, childAt, childrenOf, textAt as xmlTextAt } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ImportItem, ImportOptions, ReportFormat } from '../../types.js';
import { zapItems, type ZapAlert } from './alert.js';
import { apiOf } from './api.js';

const ROOT = 'OWASPZAPReport';
const SITE = `${ROOT}/site/@`;

function alertOfJson(record: JsonObject): ZapAlert {
  return {
    text: (name) => textAt(record, name),
    instances: objectsAt(record, 'instances').map((instance) => (name) => textAt(instance, name)),
    tags: objectsAt(record, 'tags').flatMap((tag) => textAt(tag, 'tag') ?? []),
  };
}

function alertOfXml(element: XmlElement): ZapAlert {
  const instances = childrenOf(childAt(element, 'instances'), 'instance');
  // before version 2.4 an alert had one place, its own
  const places = instances.length === 0 && xmlTextAt(element, 'uri') !== undefined ? [element] : instances;
  return {
    text: (name) => xmlTextAt(element, name),
    instances: places.map((instance) => (name) => xmlTextAt(instance, name)),
    tags: childrenOf(childAt(element, 'tags'), 'tag').flatMap((tag) => xmlTextAt(tag, 'tag') ?? []),
  };
}

const covered = (site: string | undefined, options: ImportOptions): ImportItem[] => {
  const origin = originOf(site);
  return origin === undefined ? [] : [coverage('secops', origin, 'zap', options)];
};

const json = jsonFormat<{ sites: readonly string[]; options: ImportOptions }>({
  name: 'zap',
  label: 'ZAP XML or JSON, and alerts of its interface',
  engines: ['secops'],
  detection:
    'An XML report with the root OWASPZAPReport, a JSON object with `@version` and `site`, whose alerts have a `pluginid`, or one with `alerts` as the interface answers.',
  produce: 'zap-baseline.py -t https://shop.example.com -x report.xml -J report.json',
  outsideClouds: true,
  expected: 'a ZAP report (<OWASPZAPReport>, or {"@version": ..., "site": [{"alerts": [...]}]})',
  roots: ['object'],
  // GitLab's reports of DAST hold what ZAP told, and more
  isOfFormat: (outline) =>
    !['scan', 'remediations', 'vulnerabilities'].some((name) => outline.has(name)) &&
    (((outline.has('@programName') || outline.has('@generated')) && outline.has('@version') && outline.has('site')) ||
      (outline.has('site[].@name') && outline.has('site[].alerts'))),
  markers: ['site', '@version'],
  records: ['site[*].alerts[*]', 'site.alerts[*]'],
  around: ['site[*].@name', 'site.@name'],
  context: (surroundings, options) => ({
    sites: ['site[*].@name', 'site.@name'].flatMap((path) => surroundings.all(path)).map(({ value }) => plainText(value)),
    options,
  }),
  covers: ({ sites, options }) => [...new Set(sites)].flatMap((site) => covered(site, options)),
  convert: (record, { position, path, indices }, { sites, options }, items) =>
    zapItems(alertOfJson(record), sites[path.startsWith('site[') ? (indices[0] as number) : 0], position, options, items),
});

const api = apiOf(json);
const isXml = (head: string): boolean => outlineXml(head)?.root === ROOT;

/**
 * Reports of ZAP (Zed Attack Proxy), as XML and as JSON, with requests and responses or without, of which an alert on a site is one record; and what its
 * interface answers.
 */
export const format: ReportFormat = {
  ...json,
  detect: (head) => isXml(head) || json.detect(head) || api.detect(head),
  observedAt: async (source) =>
    isXml(await readHead(source)) ? timeInXml(`${ROOT}/@`, (root) => attributeOf(root, 'created'))(source) : timeAt('created')(source),
  async *read(source, options) {
    const head = await readHead(source);
    if (!isXml(head)) {
      yield* (api.detect(head) ? api : json).read(source, options);
      return;
    }
    const items = new ReportItems();
    yield* importElements(
      readXml(source, [SITE, `${ROOT}/site/alerts/alertitem`]),
      (alert, item) => zapItems(alertOfXml(alert), attributeOf(ancestorOf(item, 'site'), 'name'), item.position, options, items),
      (site) => covered(attributeOf(site, 'name'), options),
    );
  },
};
