import { hostItems } from '../../normalize/host-finding.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { BrokenRecord } from '../../readers/record.js';
import { childrenOf, requireTextAt, textAt as xmlTextAt } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ImportItem } from '../../types.js';

/** The guide that a checklist is of. */
export interface Stig {
  stig_name?: string | undefined;
  stig_id?: string | undefined;
  release_info?: string | undefined;
  display_name?: string | undefined;
}

/** A requirement and what was found, in the words of both formats. */
export interface StigCheck {
  vulnerability: string;
  status: string;
  title: string;
  severity: string | undefined;
  override: string | undefined;
  justification: string | undefined;
  rule: string | undefined;
  version: string | undefined;
  group: string | undefined;
  discussion: string | undefined;
  check: string | undefined;
  fix: string | undefined;
  details: string | undefined;
  comments: string | undefined;
  ccis: string[];
}

/** By the letters of a status alone: `Not_Reviewed` and `not_reviewed` are one, and say nothing. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS' | 'none'>> = {
  open: 'FAIL',
  notafinding: 'PASS',
  notapplicable: 'PASS',
  notreviewed: 'none',
};

/** The guide of a checklist in XML. */
export function stigOf(info: XmlElement): Stig {
  const data = new Map(childrenOf(info, 'SI_DATA').map((entry) => [xmlTextAt(entry, 'SID_NAME'), xmlTextAt(entry, 'SID_DATA')]));
  return { stig_name: data.get('title'), stig_id: data.get('stigid'), release_info: data.get('releaseinfo') };
}

/** A requirement of a checklist in XML. @throws BrokenRecord without number, status or title */
export function ofVulnerability(element: XmlElement): StigCheck {
  const data = new Map<string, string[]>();
  for (const entry of childrenOf(element, 'STIG_DATA')) {
    const name = xmlTextAt(entry, 'VULN_ATTRIBUTE');
    const value = xmlTextAt(entry, 'ATTRIBUTE_DATA');
    if (name !== undefined && value !== undefined) data.set(name, [...(data.get(name) ?? []), value]);
  }
  const of = (name: string): string | undefined => data.get(name)?.[0];
  const vulnerability = of('Vuln_Num');
  if (vulnerability === undefined) throw new BrokenRecord('VULN/STIG_DATA has no Vuln_Num');
  return {
    vulnerability,
    status: requireTextAt(element, 'STATUS'),
    title: of('Rule_Title') ?? vulnerability,
    severity: of('Severity'),
    override: xmlTextAt(element, 'SEVERITY_OVERRIDE'),
    justification: xmlTextAt(element, 'SEVERITY_JUSTIFICATION'),
    rule: of('Rule_ID'),
    version: of('Rule_Ver'),
    group: of('Group_Title'),
    discussion: of('Vuln_Discuss'),
    check: of('Check_Content'),
    fix: of('Fix_Text'),
    details: xmlTextAt(element, 'FINDING_DETAILS'),
    comments: xmlTextAt(element, 'COMMENTS'),
    ccis: data.get('CCI_REF') ?? [],
  };
}

/** A requirement of a checklist in JSON. @throws BrokenRecord without number or status */
export function ofRule(record: JsonObject): StigCheck {
  const vulnerability = requireText(record, 'group_id');
  const severity = objectAt(objectAt(record, 'overrides'), 'severity');
  return {
    vulnerability,
    status: requireText(record, 'status'),
    title: textAt(record, 'rule_title') ?? vulnerability,
    severity: textAt(record, 'severity'),
    override: textAt(severity, 'severity'),
    justification: textAt(severity, 'reason'),
    rule: textAt(record, 'rule_id'),
    version: textAt(record, 'rule_version'),
    group: textAt(record, 'group_title'),
    discussion: textAt(record, 'discussion'),
    check: textAt(record, 'check_content'),
    fix: textAt(record, 'fix_text'),
    details: textAt(record, 'finding_details'),
    comments: textAt(record, 'comments'),
    ccis: textsAt(record, 'ccis'),
  };
}

/** The items of one requirement: its rule the first time, and its observation of the engine `agent`, where somebody has judged it. */
export function checkItems(
  check: StigCheck,
  stig: Stig | undefined,
  place: PlaceDraft,
  position: string,
  items: ReportItems,
): ImportItem[] {
  const key = check.status.toLowerCase().replace(/[^a-z]/g, '');
  const result = Object.hasOwn(RESULTS, key) ? RESULTS[key] : undefined;
  if (result === undefined) throw new BrokenRecord(`the status ${check.status.slice(0, 50)} is unknown`);
  if (result === 'none') return [];
  const instance = place.provider_metadata?.['instance'];
  return hostItems(
    {
      source: 'stig',
      engine: 'agent',
      ruleId: check.vulnerability,
      title: check.title,
      description: check.discussion,
      severity: toSeverity(check.override) ?? toSeverity(check.severity) ?? 'medium',
      ruleSeverity: toSeverity(check.severity),
      result,
      place,
      discriminator: typeof instance === 'string' ? instance : undefined,
      detail: check.details,
      guidance: check.fix,
      controls: check.ccis.map((id) => ({ framework: 'CCI', control_id: id })),
      evidence: compact({
        host: place.resource_uid,
        benchmark: stig?.stig_name ?? stig?.display_name ?? stig?.stig_id,
        benchmark_release: stig?.release_info,
        section: check.version,
        check_result: check.status,
        fix_text: check.fix,
        check_text: check.check,
        comments: check.comments,
        stig_rule: check.rule,
        group: check.group,
        severity_override: check.override,
        severity_justification: check.justification,
      }),
      position,
    },
    items,
  );
}
