import type { Severity } from '../../../schema/model.js';
import { toRating, type CvssRating } from '../../normalize/cvss.js';
import { hostItems, type HostFinding } from '../../normalize/host-finding.js';
import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact } from '../../readers/json/fields.js';
import { attributeOf, childrenOf, numberAt, numberOf, requireAttribute, textAt, textsAt } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ImportItem } from '../../types.js';
import { readComplianceCheck } from './compliance.js';
import type { NessusHost } from './host.js';

/** The engines that plugins feed. */
export const ENGINES = ['vulnerability', 'agent', 'technology', 'encryption', 'dbsec'] as const;
/** Those whose findings close when a scan says nothing of them; checks of audit files tell what passes. */
export const COVERED = ENGINES.filter((engine) => engine !== 'agent');

const SOURCE = 'nessus';
/** ReportItem's `severity`. */
const SEVERITIES: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];
const ENCRYPTION = /\b(?:SSL|TLS|X\.?509|STARTTLS|cipher suites?)\b|\bcertificate\b/i;
const UNSUPPORTED = /\bunsupported\b|\bend[- ]of[- ]life\b|\bSEoL\b/i;

/** Turns what a plugin says of a port of a host into its rules and observations: one a CVE, or one for what has none. */
export function readItem(item: XmlElement, position: string, host: NessusHost, items: ReportItems): ImportItem[] {
  const plugin = requireAttribute(item, 'pluginID');
  if (childrenOf(item).some(({ name }) => name === 'compliance-check-name' || name === 'compliance-result'))
    return readComplianceCheck(item, plugin, position, host, items);
  const name = attributeOf(item, 'pluginName') ?? textAt(item, 'plugin_name') ?? `Plugin ${plugin}`;
  const severity = SEVERITIES[numberOf(item, 'severity') ?? -1] ?? toSeverity(textAt(item, 'risk_factor')) ?? 'info';
  const port = numberOf(item, 'port') ?? 0;
  const facts = {
    plugin_id: plugin,
    plugin_name: name,
    plugin_family: attributeOf(item, 'pluginFamily'),
    host: host.name,
    port: port > 0 && Number.isInteger(port) ? port : undefined,
    protocol: port > 0 ? attributeOf(item, 'protocol') : undefined,
    service_name: attributeOf(item, 'svc_name'),
    plugin_output: textAt(item, 'plugin_output')?.slice(0, 4_000),
    vpr_score: numberAt(item, 'vpr_score'),
    exploit_available: textAt(item, 'exploit_available') === 'true' ? true : undefined,
    exploitability: textAt(item, 'exploitability_ease'),
  };
  const cves = textsAt(item, 'cve').filter((id) => /^CVE-\d{4}-\d{4,}$/i.test(id));
  const texts = {
    description: [textAt(item, 'synopsis'), textAt(item, 'description')].filter((text) => text !== undefined).join('\n\n'),
    guidance: solutionOf(item),
    urls: textsAt(item, 'see_also').flatMap((urls) => urls.split(/\s+/)),
    cwes: textsAt(item, 'cwe').map((id) => `CWE-${id}`),
  };
  if (cves.length === 0) {
    const engine = engineOf(name, facts.plugin_family ?? '', severity);
    return hostItems(
      {
        ...texts,
        source: SOURCE,
        engine,
        ruleId: `nessus-${plugin}`,
        title: name,
        severity,
        place: host.place,
        discriminator: port > 0 ? `${port}/${facts.protocol ?? 'tcp'}` : undefined,
        detail: facts.plugin_output,
        cvss: engine === 'vulnerability' ? ratingsOf(item)[0]?.score : undefined,
        evidence: compact({ ...facts, ...(engine === 'encryption' && { protocol: undefined, transport: facts.protocol }) }),
        position,
      },
      items,
    );
  }
  return cves.flatMap((id) =>
    vulnerabilityItems(
      {
        source: SOURCE,
        advisory: {
          id,
          title: `${name} (${id})`,
          description: texts.description,
          severity,
          // the score is that of one of them
          ratings: cves.length === 1 || textAt(item, 'cvss_score_source') === id ? ratingsOf(item) : [],
          cwes: texts.cwes,
          urls: [...texts.urls, `https://www.tenable.com/plugins/nessus/${plugin}`],
          guidance: texts.guidance,
          knownExploited: childrenOf(item, 'xref').some(({ content }) => String(content[0]).startsWith('CISA-KNOWN-EXPLOITED')),
          publishedAt: textAt(item, 'vuln_publication_date'),
        },
        package: { name: productOf(item) ?? name },
        place: host.place,
        evidence: { ...facts, cves: cves.slice(0, 100) },
        position,
      },
      items,
    ),
  );
}

function engineOf(name: string, family: string, severity: Severity): HostFinding['engine'] {
  if (severity === 'info') return 'technology';
  if (ENCRYPTION.test(name)) return 'encryption';
  if (family === 'Databases') return 'dbsec';
  return UNSUPPORTED.test(name) ? 'technology' : 'vulnerability';
}

/** `apache:log4j` of `cpe:/a:apache:log4j`: the application where it is one alone, not the packages of a system. */
function productOf(item: XmlElement): string | undefined {
  const cpes = (textAt(item, 'cpe') ?? '').split('\n');
  const [, vendor, product] = (cpes.length === 1 && /^cpe:(?:\/|2\.3:)a:([^:\s]+):([^:\s]+)/.exec(cpes[0] as string)) || [];
  return vendor === undefined || product === undefined ? undefined : `${vendor}:${product}`;
}

function solutionOf(item: XmlElement): string | undefined {
  const solution = textAt(item, 'solution');
  return solution === undefined || /^n\/a$/i.test(solution) ? undefined : solution;
}

/** The newest version of CVSS first; the vectors of version 2 begin with a word of Nessus' own. */
function ratingsOf(item: XmlElement): CvssRating[] {
  return [
    toRating(numberAt(item, 'cvss4_base_score'), textAt(item, 'cvss4_vector'), { version: '4.0' }),
    toRating(numberAt(item, 'cvss3_base_score'), textAt(item, 'cvss3_vector'), { version: '3.1' }),
    toRating(numberAt(item, 'cvss_base_score'), textAt(item, 'cvss_vector')?.replace('CVSS2#', ''), { version: '2.0' }),
  ].filter((rating) => rating !== undefined);
}
