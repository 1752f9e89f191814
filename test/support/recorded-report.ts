/** The reports behind the recorded data folder of test/fixtures: detections, sensitive data and identities, which once stood under `check`. */

const PRODUCT_ARN = 'arn:aws:securityhub:eu-west-1::product/aws';

const asff = (product: string, id: string, types: string[], resource: string, extra: Record<string, unknown> = {}) => ({
  SchemaVersion: '2018-10-08',
  Id: `${PRODUCT_ARN}/${product.toLowerCase()}/finding/${id}`,
  ProductArn: `${PRODUCT_ARN}/${product.toLowerCase()}`,
  ProductName: product,
  GeneratorId: `generator-of-${types[0]}`,
  AwsAccountId: '111122223333',
  Region: 'eu-west-1',
  Types: types,
  Title: `${product} finding ${id}`,
  Description: `What ${product} saw as ${id}.`,
  CreatedAt: '2026-01-02T03:04:05.000Z',
  UpdatedAt: '2026-01-02T03:04:05.000Z',
  Severity: { Label: 'HIGH' },
  RecordState: 'ACTIVE',
  Workflow: { Status: 'NEW' },
  Resources: [{ Type: 'AwsEc2Instance', Id: resource, Partition: 'aws', Region: 'eu-west-1' }],
  ...extra,
});

const instance = 'arn:aws:ec2:eu-west-1:111122223333:instance/i-0abc';
const bucket = 'arn:aws:s3:::recorded-bucket';
const onBucket = { Resources: [{ Type: 'AwsS3Bucket', Id: bucket, Partition: 'aws', Region: 'eu-west-1' }] };

/** Three detections, one piece of sensitive data and one posture check, as Security Hub hands them on. */
export const recordedAsff = [
  asff('GuardDuty', 'det-1', ['TTPs/Command and Control/Backdoor:EC2-C.CActivity.B'], instance),
  asff('GuardDuty', 'det-2', ['TTPs/Command and Control/Backdoor:EC2-C.CActivity.B'], instance),
  asff('GuardDuty', 'det-3', ['TTPs/Discovery/Recon:EC2-PortProbeUnprotectedPort'], instance),
  asff('Macie', 'data-1', ['Sensitive Data Identifications/PII/SensitiveData:S3Object-Personal'], bucket, onBucket),
  asff('Security Hub', 'check-1', ['Software and Configuration Checks/AWS Security Best Practices'], bucket, {
    ...onBucket,
    GeneratorId: 'security-control/S3.1',
    Compliance: { Status: 'FAILED', SecurityControlId: 'S3.1' },
  }),
];

const ocsf = (class_uid: number, rule: string, uid: string | undefined, extra: Record<string, unknown> = {}) => ({
  class_uid,
  severity: 'High',
  status: 'New',
  metadata: { event_code: rule, version: '1.3.0', product: { name: 'recorder', vendor_name: 'recorder' } },
  finding_info: { ...(uid === undefined ? {} : { uid }), title: `Title of ${rule}`, desc: `What ${rule} asks for.` },
  status_detail: `The resource breaks ${rule}.`,
  resources: [{ uid: bucket, name: 'recorded-bucket', type: 'AwsS3Bucket', region: 'eu-west-1', labels: [] }],
  cloud: { provider: 'aws', region: 'eu-west-1', account: { uid: '111122223333', name: 'recorded' } },
  ...extra,
});

/** One finding each of identities, sensitive data (without an id of its own), code and packages. */
export const recordedOcsf = [
  ocsf(2008, 'stale_access_key', 'iam-1'),
  ocsf(2006, 'public_personal_data', undefined),
  ocsf(2007, 'sql_injection', 'code-1'),
  ocsf(2002, 'CVE-2024-0001', 'vuln-1', {
    vulnerabilities: [
      {
        cve: { uid: 'CVE-2024-0001', cvss: [{ base_score: 9.8, version: '3.1' }], epss: { score: '0.42' } },
        affected_packages: [{ name: 'package', version: '1.0.0', fixed_in_version: '1.0.1' }],
      },
    ],
  }),
];

/** A Terraform state whose resources break rules of several engines of the catalog. */
export const recordedState = {
  version: 4,
  terraform_version: '1.9.0',
  serial: 1,
  lineage: 'recorded-lineage',
  resources: [
    {
      mode: 'managed',
      type: 'aws_security_group_rule',
      name: 'ssh',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [
        {
          attributes: {
            id: 'sgr-recorded',
            type: 'ingress',
            protocol: 'tcp',
            from_port: 22,
            to_port: 22,
            cidr_blocks: ['0.0.0.0/0'],
            security_group_id: 'sg-recorded',
          },
        },
      ],
    },
    {
      mode: 'managed',
      type: 'aws_kms_key',
      name: 'key',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ attributes: { arn: 'arn:aws:kms:eu-west-1:111122223333:key/recorded', id: 'recorded', enable_key_rotation: false } }],
    },
    {
      mode: 'managed',
      type: 'aws_db_instance',
      name: 'db',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [
        {
          attributes: {
            arn: 'arn:aws:rds:eu-west-1:111122223333:db:recorded',
            id: 'recorded',
            engine: 'postgres',
            publicly_accessible: true,
            storage_encrypted: false,
          },
        },
      ],
    },
    {
      mode: 'managed',
      type: 'aws_s3_bucket',
      name: 'data',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ attributes: { arn: 'arn:aws:s3:::recorded-data', id: 'recorded-data', bucket: 'recorded-data' } }],
    },
  ],
};

/** What the recorded folder was made with; secret to nobody. */
export const RECORDED_SECRET = 'the master secret of the recorded data folder';
