import { findCsvHeader } from '../../readers/csv/header.js';
import type { CsvRules } from '../../readers/csv/records.js';
import { requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { madeElement } from '../../readers/xml/made.js';

/** Columns of CSV reports, of Nessus and Tenable's scans and of Security Center; which others there are, who exports chooses. */
const LAYOUTS: readonly CsvRules[] = [
  { columns: ['Plugin ID', 'CVE', 'Risk', 'Host', 'Protocol'] },
  { columns: ['Plugin', 'Plugin Name', 'Severity', 'IP Address', 'Protocol'] },
];

/** How the CSV report is laid out that begins so; undefined for what is none. */
export const layoutOf = (head: string): CsvRules | undefined => LAYOUTS.find((layout) => findCsvHeader(head, layout) !== undefined);

const SEVERITIES: readonly string[] = ['none', 'low', 'medium', 'high', 'critical'];

const reader =
  (row: JsonObject) =>
  (...names: string[]): string | undefined =>
    names.map((name) => textAt(row, name)).find((found) => found !== undefined);

/** The host of a row by what it was scanned as, and the element `HostProperties` that the .nessus report has for it. */
export function hostOfRow(row: JsonObject): { name: string; properties: XmlElement } {
  const text = reader(row);
  const tag = (name: string, value: string | undefined): XmlElement[] =>
    value === undefined ? [] : [madeElement('tag', { name }, [value])];
  return {
    name: text('host', 'dns name') ?? requireText(row, 'ip address', 'host'),
    properties: madeElement('HostProperties', {}, [
      ...tag('host-fqdn', text('fqdn', 'dns name')),
      ...tag('host-ip', text('ip address')),
      ...tag('netbios-name', text('netbios', 'netbios name')),
      ...tag('operating-system', text('os')),
      ...tag('mac-address', text('mac address')),
      ...tag('policy-used', 'CSV'),
    ]),
  };
}

/** Whether a row says that what was found is no more. */
export const isFixed = (row: JsonObject): boolean => /^fixed$/i.test(textAt(row, 'vulnerability state') ?? '');

/** A row of a CSV report as the element `ReportItem` that the .nessus report has for it; a plugin has a row for each of its CVEs. */
export function itemOfRow(row: JsonObject): XmlElement {
  const text = reader(row);
  const severity = SEVERITIES.indexOf((text('risk', 'severity')?.toLowerCase() ?? '').replace(/^info$/, 'none'));
  return madeElement(
    'ReportItem',
    {
      pluginID: text('plugin id') ?? requireText(row, 'plugin', 'plugin id'),
      pluginName: text('name', 'plugin name'),
      pluginFamily: text('plugin family', 'family'),
      severity: severity === -1 ? undefined : String(severity),
      port: text('port'),
      protocol: text('protocol')?.toLowerCase(),
    },
    [
      ['risk_factor', text('risk', 'risk factor')],
      ...(text('cve') ?? '').split(/[,\s]+/).map((id): [string, string | undefined] => ['cve', id || undefined]),
      ['synopsis', text('synopsis')],
      ['description', text('description')],
      ['solution', text('solution', 'steps to remediate')],
      ['see_also', text('see also')],
      ['plugin_output', text('plugin output')],
      ['cvss4_base_score', text('cvss v4.0 base score')],
      ['cvss4_vector', text('cvss v4.0 vector', 'cvss v4.0 base vector')],
      ['cvss3_base_score', text('cvss v3.0 base score', 'cvss v3 base score', 'cvss3 base score', 'cvssv3')],
      ['cvss3_vector', text('cvss v3.0 vector', 'cvss v3 vector', 'cvss3 vector')],
      ['cvss_base_score', text('cvss v2.0 base score', 'cvss v2 base score', 'cvss base score', 'cvss')],
      ['cvss_vector', text('cvss v2.0 vector', 'cvss v2 vector', 'cvss vector')],
      ['vpr_score', text('vpr score', 'vulnerability priority rating', 'vulnerability priority rating (vpr)')],
      ['exploit_available', /^(?:yes|true)$/i.test(text('exploit?', 'exploit available') ?? '') ? 'true' : undefined],
      ['cpe', text('cpe')],
      ['exploitability_ease', text('exploit ease')],
      ['vuln_publication_date', text('vulnerability publication date', 'vuln publication date')],
    ],
  );
}
