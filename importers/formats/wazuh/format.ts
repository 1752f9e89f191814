import { Surroundings } from '../../normalize/json-format.js';
import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { coverage } from '../../normalize/scope.js';
import { asObject, numberAt } from '../../readers/json/fields.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readJson } from '../../readers/json/records.js';
import { readHead } from '../../readers/source.js';
import { NotOfFormat, type ReportFormat } from '../../types.js';
import { readDocument } from './document.js';

const LISTS = ['hits.hits[*]', 'data.affected_items[*]', '$[*]'];
/** Documents one after another, and a list of them. */
const LINES = ['$', '$[*]'];
const TOTALS = ['hits.total', 'data.total_affected_items'];

/** Whether what stands below a path is a document of an index of Wazuh: an alert, or the state of a vulnerability. */
function isDocument(outline: JsonOutline, base: string): boolean {
  const has = (path: string): boolean => outline.has(base + path);
  const hasAgent = has('agent.id') || has('agent.name') || has('wazuh.agent') || has('wazuh.schema');
  if (has('rule.level') && has('rule.id') && hasAgent && (has('manager.name') || has('decoder') || has('location'))) return true;
  return has('vulnerability.id') && hasAgent && (has('package.name') || has('host.os'));
}

/** Where a report has its documents; undefined for what is none of Wazuh's. */
function recordsOf(outline: JsonOutline): string[] | undefined {
  if (isDocument(outline, '')) return LINES;
  const isApi =
    outline.has('data.affected_items[].cve') ||
    // an answer in which nothing is affected
    (outline.has('data.total_affected_items') && outline.has('data.affected_items') && !outline.has('data.affected_items[]')) ||
    (outline.has('data.affected_items[].policy_id') && outline.has('data.affected_items[].result'));
  return isApi || isDocument(outline, 'hits.hits[]._source.') || isDocument(outline, '[].') || isDocument(outline, '[]._source.')
    ? LISTS
    : undefined;
}

/** As `recordsOf`, of a report that ends, or is cut, before a whole document shows what it is. */
function unsureRecordsOf(outline: JsonOutline): string[] | undefined {
  for (const list of ['hits.hits', 'data.affected_items']) if (outline.has(list)) return outline.has(`${list}[]!`) ? undefined : LISTS;
  return outline.has('!') || outline.has('[]!') ? undefined : LINES;
}

/** What Wazuh tells of hosts: vulnerabilities and configuration checks by its API and its indexer, and alerts. One document is one record. */
export const format: ReportFormat = {
  name: 'wazuh',
  label: 'Wazuh',
  engines: ['vulnerability', 'agent', 'cwpp'],
  detection:
    'JSON of the indexer (`hits.hits` of vulnerability states or alerts), of the API (`data.affected_items` with `cve` or `policy_id`), or alerts one a line.',
  produce: `curl -u "$WAZUH_USER" "https://indexer:9200/wazuh-states-vulnerabilities-*/_search?size=10000" -o wazuh.json`,
  outsideClouds: true,
  detect: (head) => recordsOf(outlineJson(head)) !== undefined,
  async *read(source, options) {
    const outline = outlineJson(await readHead(source));
    const records = recordsOf(outline) ?? unsureRecordsOf(outline);
    if (records === undefined) throw new NotOfFormat('expected documents of Wazuh (vulnerabilities, checks or alerts), found none');
    const items = new ReportItems();
    const hosts = new Set<string>();
    const total = records === LISTS ? await totalOf(await Surroundings.read(source, TOTALS)) : undefined;
    let count = 0;
    for await (const item of importRecords(readJson(source, records), (record, { position }) =>
      readDocument(record, position, hosts, options, items),
    )) {
      if (item.kind === 'record') count++;
      yield item;
    }
    // a page of a longer list tells nothing of what it does not hold
    if (count === total) for (const host of hosts) yield coverage('vulnerability', host, 'wazuh', options);
  },
};

function totalOf(surroundings: Surroundings): number | undefined {
  const hits = surroundings.value('hits.total');
  const total = surroundings.value('data.total_affected_items') ?? numberAt(asObject(hits), 'value') ?? hits;
  return typeof total === 'number' ? total : undefined;
}
