import type { Observation } from '../schema/observations.js';
import { PROVIDERS, SEVERITIES } from '../schema/model.js';

const REGIONS = ['eu-west-1', 'us-east-1', 'ap-south-1', 'global'];
const TYPES = ['aws_s3_bucket', 'aws_instance', 'azurerm_storage_account', 'google_compute_instance'];
const pick = <T>(values: readonly T[], n: number): T => values[n % values.length]!;

/** The n-th observation of a synthetic estate: some 200 rules, a resource for every five findings, about 1.5 kB each. */
export function observation(n: number): Observation {
  const resource = Math.floor(n / 5);
  return {
    engine: 'check',
    result: 'FAIL',
    rule_id: `bench_rule_${n % 211}`,
    title: `Resource ${resource} breaks rule ${n % 211} of the benchmark`,
    description: 'A description of what the rule asks for, as long as those of real scanners usually are. '.repeat(3),
    severity: pick(SEVERITIES, n * 7),
    resource_uid: `arn:aws:s3:::bench-bucket-${resource}`,
    resource_type: pick(TYPES, resource),
    resource_name: `bench-bucket-${resource}`,
    provider: pick(PROVIDERS, resource),
    account_id: `11112222${String(resource % 10).padStart(4, '0')}`,
    region: pick(REGIONS, resource),
    remediation: { guidance: 'Switch the setting on in the console, or set the attribute in your templates.'.repeat(2) },
    references: [{ url: `https://docs.example.com/rules/${n % 211}` }],
    controls: [{ framework: 'CIS-3.0', control_id: `2.${n % 9}` }],
    evidence: {
      status_detail: `The setting is off on bench-bucket-${resource}`,
      attribute: 'versioning.enabled',
      actual: false,
      expected: true,
    },
    provider_metadata: { partition: 'aws', tags: { team: `team-${resource % 20}`, environment: 'production' } },
    position: `$[${n}]`,
  };
}
