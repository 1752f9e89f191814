import { requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { madeElement } from '../../readers/xml/made.js';

/** The columns that its CSV reports and those of Tenable's other products have; which others there are, who exports chooses. */
export const COLUMNS = ['Plugin ID', 'CVE', 'Risk', 'Host', 'Protocol'];

const SEVERITIES: readonly string[] = ['none', 'low', 'medium', 'high', 'critical'];

/** A row of a CSV report as the element `ReportItem` that the .nessus report has for it; a plugin has a row for each of its CVEs. */
export function itemOfRow(row: JsonObject): XmlElement {
  const text = (...names: string[]): string | undefined => names.map((name) => textAt(row, name)).find((found) => found !== undefined);
  const severity = SEVERITIES.indexOf(text('risk')?.toLowerCase() ?? '');
  return madeElement(
    'ReportItem',
    {
      pluginID: requireText(row, 'plugin id'),
      pluginName: text('name', 'plugin name'),
      pluginFamily: text('plugin family', 'family'),
      severity: severity === -1 ? undefined : String(severity),
      port: text('port'),
      protocol: text('protocol')?.toLowerCase(),
    },
    [
      ['risk_factor', text('risk')],
      ['cve', text('cve')],
      ['synopsis', text('synopsis')],
      ['description', text('description')],
      ['solution', text('solution')],
      ['see_also', text('see also')],
      ['plugin_output', text('plugin output')],
      ['cvss4_base_score', text('cvss v4.0 base score')],
      ['cvss4_vector', text('cvss v4.0 vector', 'cvss v4.0 base vector')],
      ['cvss3_base_score', text('cvss v3.0 base score', 'cvss v3 base score', 'cvss3 base score')],
      ['cvss3_vector', text('cvss v3.0 vector', 'cvss v3 vector', 'cvss3 vector')],
      ['cvss_base_score', text('cvss v2.0 base score', 'cvss v2 base score', 'cvss base score', 'cvss')],
      ['cvss_vector', text('cvss v2.0 vector', 'cvss vector')],
      ['vpr_score', text('vpr score', 'vulnerability priority rating')],
      ['exploitability_ease', text('exploit ease')],
      ['vuln_publication_date', text('vulnerability publication date', 'vuln publication date')],
    ],
  );
}
