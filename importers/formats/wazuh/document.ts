import { toRating } from '../../normalize/cvss.js';
import { hostPlace, isNamed } from '../../normalize/host.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { BrokenRecord } from '../../readers/record.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import { readAlert } from './alert.js';
import { readCheck } from './check.js';

const SOURCE = 'wazuh';

/** Turns one document, in whichever envelope it comes, into its rule and observation. Vulnerable hosts are added to `hosts`. */
export function readDocument(
  record: JsonObject,
  position: string,
  hosts: Set<string>,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const document = objectAt(record, '_source') ?? record;
  const place = placeOf(document, options);
  const ofAlert = objectAt(objectAt(document, 'data'), 'vulnerability');
  if (ofAlert !== undefined) return readVulnerability(ofAlert, objectAt(ofAlert, 'package'), document, place, position, items);
  if (objectAt(document, 'rule') !== undefined) return readAlert(document, place, position, items);
  const state = objectAt(document, 'vulnerability');
  if (state === undefined && textAt(document, 'cve') === undefined) {
    if (textAt(document, 'policy_id') !== undefined) return readCheck(document, textAt(document, 'policy_id'), place, position, items);
    throw new BrokenRecord('the document holds neither a vulnerability nor a check nor an alert');
  }
  if (isNamed(place)) hosts.add(place.artifact as string);
  return state === undefined
    ? readVulnerability(document, document, document, place, position, items)
    : readVulnerability(state, objectAt(document, 'package'), document, place, position, items);
}

/** The agent by its name, which a manager has once; agents are enrolled again under new ids. */
function placeOf(document: JsonObject, options: ImportOptions): PlaceDraft {
  const inner = objectAt(document, 'wazuh');
  const agent = objectAt(document, 'agent') ?? objectAt(inner, 'agent');
  const os = objectAt(objectAt(document, 'host'), 'os') ?? objectAt(objectAt(agent, 'host'), 'os');
  const id = textAt(agent, 'id') ?? textAt(document, 'agent_id');
  return hostPlace(
    {
      names: [
        textAt(agent, 'name') ?? textAt(document, 'agent_name'),
        options.artifact,
        id === undefined ? undefined : `wazuh-agent-${id}`,
      ],
      addresses: [textAt(agent, 'ip') ?? textAt(document, 'agent_ip')],
      operatingSystem: textAt(os, 'full') ?? textAt(os, 'name'),
      metadata: compact({ wazuh_agent_id: id, wazuh_cluster: textAt(objectAt(inner, 'cluster'), 'name') }),
    },
    options,
  );
}

/** The members of the index of states, of the API up to version 4.7, and of alerts. */
function readVulnerability(
  found: JsonObject,
  scanned: JsonObject | undefined,
  document: JsonObject,
  place: PlaceDraft,
  position: string,
  items: ReportItems,
): ImportItem[] {
  const id = textAt(found, 'cve') ?? requireText(found, 'id', 'vulnerability.id');
  const score = objectAt(found, 'score');
  const cvss = objectAt(found, 'cvss');
  const rating = (version: string) => objectAt(cvss, version);
  const type = textAt(scanned, 'type') ?? '';
  const os = objectAt(objectAt(document, 'host'), 'os') ?? objectAt(objectAt(objectAt(objectAt(document, 'wazuh'), 'agent'), 'host'), 'os');
  const isSolved = /^(?:solved|obsolete)$/i.test(textAt(found, 'status') ?? '');
  return vulnerabilityItems(
    {
      source: SOURCE,
      advisory: {
        id,
        title: textAt(found, 'title'),
        description: textAt(found, 'description') ?? textAt(found, 'rationale'),
        severity: toSeverity(textAt(found, 'severity')),
        ratings: [
          toRating(numberAt(score, 'base'), undefined, { version: textAt(score, 'version') }),
          toRating(numberAt(found, 'cvss3_score') ?? numberAt(rating('cvss3'), 'base_score'), undefined, { version: '3.1' }),
          toRating(numberAt(found, 'cvss2_score') ?? numberAt(rating('cvss2'), 'base_score'), undefined, { version: '2.0' }),
        ].filter((one) => one === undefined || one.score > 0),
        cwes: textsAt(found, 'cwe_reference'),
        urls: [
          ...(textAt(found, 'reference') ?? '').split(/,\s*/),
          ...textsAt(found, 'references'),
          ...textsAt(found, 'external_references'),
          ...textsAt(objectAt(found, 'scanner'), 'reference'),
        ],
        publishedAt: textAt(found, 'published_at') ?? textAt(found, 'published'),
        modifiedAt: textAt(found, 'updated'),
      },
      package: {
        name: textAt(scanned, 'name') ?? textAt(os, 'name') ?? 'operating system',
        version: textAt(scanned, 'version'),
        // the API says PACKAGE and OS there
        ecosystem: /^(?:package|os)?$/i.test(type) ? undefined : [type, textAt(os, 'platform')].filter(Boolean).join(':'),
        paths: textsAt(scanned, 'path'),
      },
      place,
      result: isSolved ? 'PASS' : 'FAIL',
      evidence: compact({
        host: place.resource_uid,
        architecture: textAt(scanned, 'architecture'),
        condition: textAt(scanned, 'condition') ?? textAt(objectAt(found, 'scanner'), 'condition'),
        detected_at: textAt(found, 'detected_at') ?? textAt(found, 'detection_time'),
        under_evaluation: found['under_evaluation'] === true ? true : undefined,
      }),
      position,
    },
    items,
  );
}
