import { isoOf, listOf, numberOf, recordOf, textOf, type ExportFormat, type Row } from './format.js';

/** What a status says of a vulnerability, in the words of CycloneDX. An accepted risk is still there, and will not be fixed. */
const ANALYSES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  OPEN: { state: 'in_triage' },
  IN_PROGRESS: { state: 'exploitable', response: ['update'] },
  RESOLVED: { state: 'resolved' },
  FALSE_POSITIVE: { state: 'false_positive' },
  SUPPRESSED: { state: 'exploitable', response: ['will_not_fix'] },
};

interface Affected {
  readonly ref: string;
  readonly component: Record<string, unknown>;
}

/** What has the vulnerability: a package of a resource, or the resource where no package is named. */
function affectedBy(row: Row): Affected {
  const { package_name, installed_version, purl } = recordOf(row['evidence']);
  const [name, version] = [textOf(package_name), textOf(installed_version)];
  const uid = String(row['resource_uid']);
  const properties = [
    { name: 'palisade:resource_uid', value: uid },
    { name: 'palisade:resource_type', value: String(row['resource_type']) },
  ];
  const type = name ? 'library' : row['resource_type'] === 'container_image' ? 'container' : 'application';
  const ref = name ? `${uid}#${name}@${version ?? ''}` : uid;
  const about = { ...(version && name && { version }), ...(textOf(purl) && { purl }) };
  return { ref, component: { type, 'bom-ref': ref, name: name ?? textOf(row['resource_name']) ?? uid, ...about, properties } };
}

function vulnerabilityOf(row: Row, ref: string): Record<string, unknown> {
  const { fixed_version } = recordOf(row['evidence']);
  const cvss = numberOf(row['cvss']);
  const urls = listOf(row['references']).flatMap((one) => textOf(recordOf(one)['url']) ?? []);
  const epss = numberOf(row['epss']);
  const severity = row['severity'];
  return {
    'bom-ref': `finding:${String(row['engine'])}/${String(row['finding_id'])}`,
    id: row['cve'],
    source: { name: 'NVD', url: `https://nvd.nist.gov/vuln/detail/${String(row['cve'])}` },
    ratings: [{ severity, ...(cvss !== null && { score: cvss, method: 'CVSSv31' }) }],
    ...(textOf(row['description']) && { description: row['description'] }),
    ...(textOf(fixed_version) && { recommendation: `Update to ${String(fixed_version)}.` }),
    ...(urls.length > 0 && { advisories: urls.map((url) => ({ url })) }),
    ...(isoOf(row['last_seen_at']) && { updated: isoOf(row['last_seen_at']) }),
    analysis: { ...ANALYSES[String(row['status'])], firstIssued: isoOf(row['first_seen_at']), lastUpdated: isoOf(row['last_seen_at']) },
    affects: [{ ref }],
    properties: [
      { name: 'palisade:status', value: String(row['status']) },
      ...(epss === null ? [] : [{ name: 'palisade:epss', value: String(epss) }]),
      ...(row['known_exploited'] === true ? [{ name: 'palisade:known_exploited', value: 'true' }] : []),
    ],
  };
}

/** CycloneDX 1.6 with vulnerabilities and what is said of them (VEX): one a finding that has a CVE, and behind them the components that are affected. */
export const vex: ExportFormat = {
  name: 'vex',
  label: 'CycloneDX VEX',
  media_type: 'application/vnd.cyclonedx+json; version=1.6',
  extension: 'cdx.json',
  subjects: ['findings'],
  whole: true,
  vulnerabilities: true,
  // the components, each once, are held until the end
  most: 100_000,
  async *write({ id, madeAt, rows }) {
    const tools = { components: [{ type: 'application', name: 'Palisade' }] };
    const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${id}`, version: 1 };
    const metadata = { timestamp: madeAt.toISOString(), tools };
    yield `${JSON.stringify({ ...head, metadata }).slice(0, -1)},"vulnerabilities":[`;
    const components = new Map<string, string>();
    let before = '';
    for await (const batch of rows) {
      let text = '';
      for (const row of batch) {
        if (textOf(row['cve']) === null) continue;
        const { ref, component } = affectedBy(row);
        if (!components.has(ref)) components.set(ref, JSON.stringify(component));
        text += `${before}\n${JSON.stringify(vulnerabilityOf(row, ref))}`;
        before = ',';
      }
      if (text !== '') yield text;
    }
    yield '],"components":[';
    before = '';
    for (const component of components.values()) {
      yield `${before}\n${component}`;
      before = ',';
    }
    yield ']}\n';
  },
};
