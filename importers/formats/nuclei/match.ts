import { toRating } from '../../normalize/cvss.js';
import type { ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { findCves } from '../../normalize/taxonomy.js';
import { originOf, pathOf, webItems, webPlace } from '../../normalize/web-finding.js';
import {
  BrokenRecord,
  compact,
  member,
  numberAt,
  requireObject,
  textAt,
  textsAt,
  objectAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** Templates that tell what runs there: what they extract is a name or a version. Others may extract secrets, which are not kept. */
const HARMLESS = new Set(['tech', 'detect', 'discovery', 'fingerprint', 'version']);

/** Turns a match of a template into its rule (the first time) and its observation: a known vulnerability, or another finding. */
export function readMatch(record: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const id = textAt(record, 'template-id') ?? textAt(record, 'templateID') ?? textAt(record, 'template');
  if (id === undefined) throw new BrokenRecord('template-id is missing');
  const info = requireObject(record, 'info');
  const classification = objectAt(info, 'classification');
  const cve = findCves([...textsAt(classification, 'cve-id'), id].map((text) => text.toUpperCase()))[0];
  const matched = textAt(record, 'matched-at') ?? textAt(record, 'matched');
  const address = [matched, textAt(record, 'host'), textAt(record, 'url'), textAt(record, 'ip')].find((one) => originOf(one) !== undefined);
  const matcher =
    textAt(record, 'matcher-name') ??
    textAt(record, 'matcher_name') ??
    textAt(record, 'extractor-name') ??
    textAt(record, 'extractor_name');
  const path = pathOf(matched);
  const tags = typeof member(info, 'tags') === 'string' ? (textAt(info, 'tags') ?? '').split(/\s*,\s*/) : textsAt(info, 'tags');
  const isHarmless = tags.some((tag) => HARMLESS.has(tag));
  const rating = toRating(numberAt(classification, 'cvss-score'), textAt(classification, 'cvss-metrics'));
  const epss = numberAt(classification, 'epss-score');
  const name = textAt(info, 'name') ?? id;
  return webItems(
    {
      source: 'nuclei',
      engine: cve === undefined ? 'secops' : 'vulnerability',
      tool: 'Nuclei',
      ruleId: cve ?? id,
      title: name,
      description: textAt(info, 'description')?.trim(),
      severity: toSeverity(textAt(info, 'severity')) ?? 'info',
      // with -matcher-status it tells of what did not match, too
      result: member(record, 'matcher-status') === false ? 'PASS' : 'FAIL',
      place: webPlace(address, options),
      path,
      parameter: textAt(record, 'fuzzing_parameter'),
      discriminator: [id, path ?? '', matcher ?? ''].join('|'),
      detail: matcher === undefined ? undefined : `Matched by ${matcher}.`,
      guidance: textAt(info, 'remediation'),
      urls: textsAt(info, 'reference'),
      cwes: textsAt(classification, 'cwe-id'),
      cvss: rating?.score !== undefined && rating.score > 0 ? rating.score : undefined,
      epss: epss !== undefined && epss >= 0 && epss <= 1 ? epss : undefined,
      evidence: compact({
        template: id,
        protocol: textAt(record, 'type'),
        matcher,
        extracted: isHarmless ? textsAt(record, 'extracted-results').slice(0, 10) : undefined,
        ip: textAt(record, 'ip'),
        port: textAt(record, 'port'),
        cpe: textAt(classification, 'cpe'),
        observed_at: textAt(record, 'timestamp'),
      }),
      tags,
      position,
    },
    items,
  );
}
