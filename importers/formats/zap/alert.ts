import type { Severity } from '../../../schema/model.js';
import type { ReportItems } from '../../normalize/observation.js';
import { plainHtml } from '../../normalize/plain-html.js';
import { originOf, pathOf, webItems, webPlace } from '../../normalize/web-finding.js';
import { BrokenRecord, compact } from '../../readers/json/fields.js';
import type { ControlReference, ImportItem, ImportOptions } from '../../types.js';

/** An alert on a site, whichever report it comes from. */
export interface ZapAlert {
  text(name: string): string | undefined;
  instances: readonly ZapInstance[];
  /** `OWASP_2021_A05`, `CWE-693`. */
  tags: readonly string[];
}

/** A place where an alert was raised. */
export type ZapInstance = (name: 'uri' | 'method' | 'param' | 'attack' | 'evidence') => string | undefined;

const RISKS: readonly Severity[] = ['info', 'low', 'medium', 'high'];
const CONFIDENCES = ['false positive', 'low', 'medium', 'high', 'confirmed'];
/** Places of an alert that are told. */
export const MAX_INSTANCES = 20;
const MAX_TEXT = 300;

/** Turns an alert on a site into its rule (the first time) and its observation, which names the first places. One marked as false says nothing. */
export function zapItems(
  alert: ZapAlert,
  site: string | undefined,
  position: string,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const id = alert.text('alertRef') ?? alert.text('pluginid');
  if (id === undefined) throw new BrokenRecord('pluginid is missing');
  const severity = RISKS[Number(alert.text('riskcode') ?? Number.NaN)];
  if (severity === undefined) throw new BrokenRecord('riskcode is missing, or none of 0 to 3');
  const confidence = CONFIDENCES[Number(alert.text('confidence') ?? Number.NaN)];
  if (confidence === CONFIDENCES[0]) return [];
  const title = alert.text('alert') ?? alert.text('name') ?? id;
  const [first] = alert.instances;
  const cwe = alert.text('cweid');
  const plain = (name: string): string | undefined => plainHtml(alert.text(name) ?? '') || undefined;
  return webItems(
    {
      source: 'zap',
      engine: 'secops',
      tool: 'ZAP',
      ruleId: `zap-${id}`,
      title,
      description: plain('desc'),
      severity,
      place: webPlace(site ?? originOf(first?.('uri')), options),
      method: first?.('method'),
      path: pathOf(first?.('uri')),
      parameter: first?.('param'),
      detail: plain('otherinfo'),
      confidence,
      guidance: plain('solution'),
      urls: plain('reference')?.split(/\s+/) ?? [],
      cwes: [...(cwe === undefined || Number(cwe) <= 0 ? [] : [`CWE-${cwe}`]), ...alert.tags],
      controls: alert.tags.flatMap(owaspOf),
      evidence: compact({
        count: Number(alert.text('count')) || alert.instances.length,
        instances: alert.instances.slice(0, MAX_INSTANCES).map((instance) =>
          compact({
            method: instance('method'),
            path: pathOf(instance('uri')) ?? instance('uri')?.replace(/\?.*$/s, ''),
            parameter: instance('param'),
            attack: instance('attack')?.slice(0, MAX_TEXT),
            evidence: instance('evidence')?.slice(0, MAX_TEXT),
          }),
        ),
        wasc: Number(alert.text('wascid')) > 0 ? `WASC-${alert.text('wascid')}` : undefined,
      }),
      tags: alert.tags.slice(0, 50),
      position,
    },
    items,
  );
}

function owaspOf(tag: string): ControlReference[] {
  const [, year, id] = /^OWASP_(20\d\d)_(A\d{2})$/.exec(tag) ?? [];
  return year === undefined || id === undefined ? [] : [{ framework: `OWASP Top 10 ${year}`, control_id: id }];
}
