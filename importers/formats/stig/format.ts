import { jsonFormat } from '../../normalize/json-format.js';
import { hostPlace } from '../../normalize/host.js';
import { ReportItems, type PlaceDraft } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import { textAt as xmlTextAt } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import { readHead } from '../../readers/source.js';
import type { ImportOptions, ReportFormat, ReportSource } from '../../types.js';
import { checkItems, ofRule, ofVulnerability, stigOf, type Stig } from './check.js';

const ROOT = 'CHECKLIST';
const ASSET = `${ROOT}/ASSET`;
const STIG = `${ROOT}/STIGS/iSTIG/STIG_INFO`;
const VULNERABILITY = `${ROOT}/STIGS/iSTIG/VULN`;
const STIGS = ['stig_name', 'stig_id', 'release_info', 'display_name'] as const;

const about = {
  name: 'stig',
  label: 'STIG checklist (.ckl, .cklb)',
  engines: ['agent'],
  detection:
    'An XML report with the root `CHECKLIST` that has `STIGS`, or a JSON object with `stigs` of rules and `target_data` or `cklb_version`.',
  produce: 'Evaluate-STIG.ps1 -Output CKLB -OutputPath checklists',
  outsideClouds: true,
} as const;

/** The checklist of STIG Viewer 3. */
const json = jsonFormat<{ place: PlaceDraft; stigs: ReadonlyMap<number, Stig> }>({
  ...about,
  expected: 'a STIG checklist ({"stigs": [{"rules": [...]}], "target_data": ...})',
  roots: ['object'],
  isOfFormat: (outline) =>
    outline.has('stigs') && (outline.has('cklb_version') || outline.has('target_data') || outline.has('stigs[].stig_id')),
  markers: ['stigs'],
  records: ['stigs[*].rules[*]'],
  around: ['target_data', ...STIGS.map((name) => `stigs[*].${name}`)],
  context(surroundings, options) {
    const target = asObject(surroundings.value('target_data'));
    const stigs = new Map<number, Stig>();
    for (const { indices } of surroundings.all('stigs[*].stig_id')) stigs.set(indices[0] as number, {});
    for (const name of STIGS)
      for (const { indices, value } of surroundings.all(`stigs[*].${name}`))
        stigs.set(indices[0] as number, { ...stigs.get(indices[0] as number), [name]: typeof value === 'string' ? value : undefined });
    const at = (name: string): string | undefined => textAt(target, name);
    return { stigs, place: placeOf([at('host_name'), at('fqdn')], at('ip_address'), [at('web_db_site'), at('web_db_instance')], options) };
  },
  covers: () => [],
  convert: (record, { indices, position }, { place, stigs }, items) =>
    checkItems(ofRule(record), stigs.get(indices[0] as number), place, position, items),
});

/** The checklist of STIG Viewer 2, and of the tools that write its format. */
async function* readCkl(source: ReportSource, options: ImportOptions) {
  const items = new ReportItems();
  let place = placeOf([], undefined, [], options);
  let stig: Stig | undefined;
  yield* importElements(
    readXml(source, [ASSET, STIG, VULNERABILITY]),
    (element, { position }) => checkItems(ofVulnerability(element), stig, place, position, items),
    undefined,
    {
      [ASSET]: (asset) => {
        const at = (name: string): string | undefined => xmlTextAt(asset, name);
        place = placeOf([at('HOST_NAME'), at('HOST_FQDN')], at('HOST_IP'), [at('WEB_DB_SITE'), at('WEB_DB_INSTANCE')], options);
        return [];
      },
      [STIG]: (info) => {
        stig = stigOf(info);
        return [];
      },
    },
  );
}

/** A database or a web site on a host has a checklist of its own. */
function placeOf(
  names: (string | undefined)[],
  address: string | undefined,
  instance: (string | undefined)[],
  options: ImportOptions,
): PlaceDraft {
  const host = hostPlace({ names: [options.artifact, ...names], addresses: [address] }, options);
  const part = instance.filter((name) => name !== undefined && name !== '').join('/');
  return part === ''
    ? host
    : { ...host, artifact: `${host.artifact ?? ''}/${part}`, provider_metadata: { ...host.provider_metadata, instance: part } };
}

/** Checklists of DISA's Security Technical Implementation Guides. One requirement is one record. */
export const format: ReportFormat = {
  ...about,
  engines: ['agent'],
  detect(head) {
    const outline = outlineXml(head);
    if (outline === undefined) return json.detect(head);
    return outline.root === ROOT && (outline.paths.has('STIGS') || outline.paths.has('ASSET'));
  },
  async *read(source, options) {
    const isXml = /^\uFEFF?[ \t\r\n]{0,1000}</.test(await readHead(source));
    yield* isXml ? readCkl(source, options) : json.read(source, options);
  },
};
