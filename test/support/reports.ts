/** Small reports in the real formats, made to measure for tests. */

export interface PostureRecord {
  rule: string;
  resource: string;
  status?: 'PASS' | 'FAIL';
  severity?: string;
  title?: string;
  account?: string;
  region?: string;
}

const SEVERITY_ID: Record<string, number> = { Informational: 1, Low: 2, Medium: 3, High: 4, Critical: 5 };

/** A posture report as Prowler writes it in OCSF. */
export function ocsf(records: readonly PostureRecord[]): Record<string, unknown>[] {
  return records.map(
    ({
      rule,
      resource,
      status = 'FAIL',
      severity = 'High',
      title = `Title of ${rule}`,
      account = '111122223333',
      region = 'eu-west-1',
    }) => ({
      message: `${resource} breaks ${rule}`,
      metadata: {
        event_code: rule,
        product: { name: 'Prowler', vendor_name: 'Prowler', version: '5.0.0' },
        version: '1.3.0',
        profiles: ['cloud', 'datetime'],
      },
      severity_id: SEVERITY_ID[severity],
      severity,
      status: 'New',
      status_id: 1,
      status_code: status,
      status_detail: `${resource} breaks ${rule}`,
      activity_id: 1,
      activity_name: 'Create',
      category_name: 'Findings',
      category_uid: 2,
      class_name: 'Detection Finding',
      class_uid: 2004,
      type_uid: 200401,
      type_name: 'Detection Finding: Create',
      time: 1_760_000_000,
      time_dt: '2025-10-09T08:53:20',
      finding_info: {
        uid: `prowler-${rule}-${resource}`,
        title,
        desc: `What ${rule} asks for.`,
        created_time: 1_760_000_000,
        created_time_dt: '2025-10-09T08:53:20',
        types: ['Software and Configuration Checks'],
      },
      resources: [
        {
          uid: resource,
          name: resource.split(':').pop(),
          type: 'AwsS3Bucket',
          group: { name: 's3' },
          region,
          cloud_partition: 'aws',
          labels: [],
          data: { details: '', metadata: {} },
        },
      ],
      cloud: {
        provider: 'aws',
        region,
        account: { uid: account, name: account, type: 'AWS Account', type_id: 10, labels: [] },
        org: { name: '', uid: '' },
      },
      remediation: { desc: `Mend ${rule}.`, references: ['https://docs.example.com/mend'] },
      risk_details: `Why ${rule} matters.`,
      unmapped: { compliance: { 'CIS-3.0': ['2.1.4'], 'NIST-800-53-Revision-5': ['sc_7'] }, categories: [] },
    }),
  );
}

export const bucket = (name: string): string => `arn:aws:s3:::${name}`;

/** A code report: one result for each rule, file and line. */
export function sarif(
  tool: string,
  results: readonly { rule: string; file: string; line: number; level?: string; text?: string }[],
): Record<string, unknown> {
  const rules = [...new Set(results.map(({ rule }) => rule))].map((id) => ({
    id,
    shortDescription: { text: `Rule ${id}` },
    helpUri: `https://docs.example.com/${id}`,
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: tool, rules } },
        results: results.map(({ rule, file, line, level = 'error', text = `${rule} in ${file}` }) => ({
          ruleId: rule,
          level,
          message: { text },
          locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } } }],
        })),
      },
    ],
  };
}

/** An image report as Trivy writes it. */
export function trivy(
  image: string,
  vulnerabilities: readonly { id: string; pkg: string; severity?: string; cvss?: number }[],
): Record<string, unknown> {
  return {
    SchemaVersion: 2,
    CreatedAt: '2025-10-09T08:53:20Z',
    ArtifactName: image,
    ArtifactType: 'container_image',
    Metadata: { OS: { Family: 'debian', Name: '12.1' }, RepoTags: [image] },
    Results: [
      {
        Target: `${image} (debian 12.1)`,
        Class: 'os-pkgs',
        Type: 'debian',
        Vulnerabilities: vulnerabilities.map(({ id, pkg, severity = 'HIGH', cvss = 7.5 }) => ({
          VulnerabilityID: id,
          PkgID: `${pkg}@1.0.0`,
          PkgName: pkg,
          InstalledVersion: '1.0.0',
          FixedVersion: '1.0.1',
          Status: 'fixed',
          Severity: severity,
          SeveritySource: 'nvd',
          Title: `${pkg}: ${id}`,
          Description: `A flaw in ${pkg}.`,
          PrimaryURL: `https://avd.aquasec.com/nvd/${id.toLowerCase()}`,
          CVSS: { nvd: { V3Vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H', V3Score: cvss } },
        })),
      },
    ],
  };
}
