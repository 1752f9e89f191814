import type { Provider, Severity } from '../../schema/model.js';
import type { Client, ImportedRun } from '../support/world.js';
import { feedDirectly } from './direct-feed.js';

/** A finding to be, in the words of no format. */
export interface Sample {
  rule: string;
  title: string;
  resource: string;
  name: string;
  severity: Severity;
  provider: Provider;
  account: string | null;
  region: string;
  /** Terraform type name. */
  type: string;
  /** Labels of the resource. */
  labels?: string[];
}

interface Report {
  report: unknown;
  query?: Record<string, string>;
}

const SEVERITY_NAMES: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Informational',
};
/** CVSS base scores in the band of each severity. */
const SCORES: Readonly<Record<Severity, number>> = { critical: 9.8, high: 7.5, medium: 5.3, low: 2.2, info: 0 };
const REGISTRIES: Readonly<Record<Provider, string>> = {
  aws: '111122223333.dkr.ecr.eu-west-1.amazonaws.com',
  azure: 'samples.azurecr.io',
  gcp: 'gcr.io',
  oci: 'fra.ocir.io',
  alicloud: 'registry.cn-hangzhou.aliyuncs.com',
  ibm: 'icr.io',
  k8s: 'registry.example',
};

/** One finding in OCSF, of the class that leads to the engine. */
export const ocsfRecord = (
  classUid: number,
  source: string,
  sample: Sample,
  extra: Record<string, unknown> = {},
): Record<string, unknown> => ({
  class_uid: classUid,
  severity: SEVERITY_NAMES[sample.severity],
  status: 'New',
  metadata: { event_code: sample.rule, version: '1.3.0', product: { name: source, vendor_name: source } },
  finding_info: { uid: `${sample.rule}/${sample.resource}`, title: sample.title, desc: `What ${sample.rule} asks for.` },
  status_detail: `${sample.resource} breaks ${sample.rule}`,
  resources: [{ uid: sample.resource, name: sample.name, type: sample.type, region: sample.region, labels: sample.labels ?? [] }],
  cloud: {
    provider: sample.provider,
    region: sample.region,
    ...(sample.account !== null && { account: { uid: sample.account, name: sample.account } }),
  },
  remediation: { desc: `Mend ${sample.rule}.`, references: ['https://docs.example.com/mend'] },
  risk_details: `Why ${sample.rule} matters.`,
  ...extra,
});

const ocsfFeed =
  (classUid: number, extra?: (sample: Sample) => Record<string, unknown>) => (samples: readonly Sample[], source: string) => [
    { report: samples.map((sample) => ocsfRecord(classUid, source, sample, extra?.(sample))) },
  ];

const vulnerabilities = ({ rule, severity }: Sample) => ({
  vulnerabilities: [
    {
      cve: { uid: rule, cvss: [{ base_score: SCORES[severity], version: '3.1' }] },
      affected_packages: [{ name: 'package', version: '1.0.0', fixed_in_version: '1.0.1' }],
    },
  ],
});

/** The misconfigurations of one image (or, of type `code_repository`, of one directory) as Trivy writes them. */
export const trivyMisconfigurations = (artifact: string, type: string, samples: readonly Sample[]): Record<string, unknown> => ({
  SchemaVersion: 2,
  ArtifactName: artifact,
  ArtifactType: type === 'container_image' ? type : 'filesystem',
  Results: samples.map(({ rule, title, name, severity }) => ({
    Target: name,
    Class: 'config',
    Type: 'dockerfile',
    Misconfigurations: [
      {
        Type: 'Dockerfile Security Check',
        ID: rule,
        Title: title,
        Description: `What ${rule} asks for.`,
        Message: `${name} breaks ${rule}`,
        Resolution: `Mend ${rule}.`,
        Severity: SEVERITY_NAMES[severity].toUpperCase().replace('INFORMATIONAL', 'UNKNOWN'),
        PrimaryURL: 'https://docs.example.com/mend',
        Status: 'FAIL',
        CauseMetadata: { StartLine: 3, EndLine: 4 },
      },
    ],
  })),
});

/** One report an artifact, account and region: Trivy names neither of the latter. */
function trivyFeed(samples: readonly Sample[]): Report[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const type = sample.provider === 'k8s' ? 'code_repository' : 'container_image';
    const key = JSON.stringify([sample.provider, type, sample.account, sample.region]);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return [...groups].map(([key, group]) => {
    const [provider, type, account, region] = JSON.parse(key) as [Provider, string, string | null, string];
    const artifact = `${REGISTRIES[provider]}/${account ?? 'none'}/${region}:1`;
    return {
      report: trivyMisconfigurations(artifact, type, group),
      query: { ...(account !== null && { account_id: account }), region, provider },
    };
  });
}

/** How findings of each engine come in: view segment -> reports that make them. Engines that no format feeds yet are fed directly. */
const FEEDS: Readonly<Record<string, (samples: readonly Sample[], source: string) => Report[]>> = {
  check: ocsfFeed(2003),
  vulnerability: ocsfFeed(2002, vulnerabilities),
  secops: ocsfFeed(2007),
  'container-security': trivyFeed,
};

/** Imports samples into one engine. @throws when a run does not complete */
export async function feed(
  client: Client,
  segment: string,
  samples: readonly Sample[],
  { source = 'scanner', query = {} }: { source?: string; query?: Record<string, string> } = {},
): Promise<ImportedRun[]> {
  const make = FEEDS[segment];
  if (!make) return [await feedDirectly(client, segment, samples, source, query['scan_run_id'])];
  const runs: ImportedRun[] = [];
  for (const [index, report] of make(samples, source).entries()) {
    const scan = query['scan_run_id'] === undefined || index === 0 ? query : { ...query, scan_run_id: `${query['scan_run_id']}-${index}` };
    const run = await client.import(report.report, { ...report.query, ...scan });
    if (run.state !== 'COMPLETED') throw new Error(`${segment}: ${JSON.stringify(run)}`);
    runs.push(run);
  }
  return runs;
}
