import { hostItems } from '../../normalize/host-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { findCves } from '../../normalize/taxonomy.js';
import { compact } from '../../readers/json/fields.js';
import { attributeOf, childAt, childrenOf, requireAttribute, requireTextAt, textsAt } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ControlReference, ImportItem } from '../../types.js';
import { controlsOf } from './controls.js';
import type { XccdfRun } from './run.js';

const SOURCE = 'xccdf';
/** XCCDF 1.2, 6.6.4.2. What was not judged (error, unknown, notchecked, notselected, informational) neither raises nor closes. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { fail: 'FAIL', pass: 'PASS', fixed: 'PASS', notapplicable: 'PASS' };
const ADVISORY = /^\[?([A-Z]{2,}(?:-[A-Z]+)?-\d{4}[:-]\d+)\]?:?\s/;

/** Turns the result of a rule into its rule and observation; where it asks for the fix of vulnerabilities, into those of each. */
export function readRuleResult(element: XmlElement, position: string, run: XccdfRun, items: ReportItems): ImportItem[] {
  const id = requireAttribute(element, 'idref');
  const word = requireTextAt(element, 'result').toLowerCase();
  const result = RESULTS[word];
  if (result === undefined) return [];
  const rule = run.ruleOf(id);
  const title = rule?.title ?? attributeOf(element, 'version') ?? id;
  const idents = textsAt(element, 'ident');
  const cves = findCves(idents);
  const instance = textsAt(element, 'instance').join(' ');
  const own = controlsOf(element);
  const shared = {
    source: SOURCE,
    title,
    description: rule?.description,
    severity: wordInTitle(title) ?? toSeverity(attributeOf(element, 'severity')) ?? rule?.severity ?? 'medium',
    result,
    place: run.place,
    detail: textsAt(element, 'message').join('\n') || undefined,
    guidance: rule?.fix,
    position,
  } as const;
  const advisory = ADVISORY.exec(title)?.[1];
  if (cves.length === 0 && advisory === undefined)
    return hostItems(
      {
        ...shared,
        engine: 'agent',
        ruleId: rule?.vulnerability ?? requirementOf(id) ?? id,
        discriminator: instance === '' ? undefined : instance,
        urls: rule?.urls ?? [],
        controls: unique([...(rule?.controls ?? []), ...own.controls]),
        evidence: compact({
          host: run.place.resource_uid,
          benchmark: run.benchmark,
          profile: run.profile,
          section: rule?.version ?? attributeOf(element, 'version'),
          check_result: word,
          fix_text: rule?.fix,
          xccdf_rule: id,
          identifiers: idents,
          check: attributeOf(childAt(childrenOf(element, 'check')[0], 'check-content-ref'), 'name'),
        }),
      },
      items,
    );
  const update = advisory ?? id;
  return (cves.length > 0 ? cves : [update]).flatMap((cve) =>
    hostItems(
      {
        ...shared,
        engine: 'vulnerability',
        ruleId: cve,
        title: title.includes(cve) ? title : `${title} (${cve})`,
        ruleTitle: cve,
        discriminator: update,
        guidance: shared.guidance ?? `Install the update of ${update}.`,
        evidence: compact({
          host: run.place.resource_uid,
          package_name: /^\S+\s(\S+) (?:security|bug|and|bugfix|enhancement)\b/.exec(title)?.[1],
          advisory: update,
          check_result: word,
          xccdf_rule: id,
        }),
      },
      items,
    ),
  );
}

/** Red Hat's rating: `… security update (Important)`. */
const wordInTitle = (title: string) => toSeverity(/\((Critical|Important|Moderate|Low)\)$/i.exec(title)?.[1]);

/** `V-230221` of DISA's `SV-230221r743913_rule`, which changes with each release. */
function requirementOf(id: string): string | undefined {
  const number = /(?:^|_)SV-(\d+)r\d+_rule$/.exec(id)?.[1];
  return number === undefined ? undefined : `V-${number}`;
}

const unique = (controls: readonly ControlReference[]): ControlReference[] => [
  ...new Map(controls.map((control) => [`${control.framework} ${control.control_id}`, control])).values(),
];
