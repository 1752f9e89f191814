import { readAll } from './read-all.js';

const finding = (over: Record<string, unknown> = {}) => ({
  message: 'Bucket logs is public.',
  metadata: { event_code: 's3_bucket_public_access', product: { name: 'Prowler', version: '5.0' } },
  severity_id: 5,
  severity: 'Critical',
  status: 'New',
  status_code: 'FAIL',
  status_detail: 'Bucket logs is public.',
  status_id: 1,
  unmapped: {
    compliance: { 'CIS-3.0': ['2.1.4'], 'MITRE-ATTACK': ['T1530'] },
    categories: ['internet-exposed'],
    related_url: 'https://example.com/s3',
  },
  finding_info: { title: 'S3 buckets are not public', desc: 'Checks buckets.', uid: 'prowler-1', types: ['Effects'] },
  resources: [
    {
      uid: 'arn:aws:s3:::logs',
      name: 'logs',
      type: 'AwsS3Bucket',
      region: 'eu-west-1',
      cloud_partition: 'aws',
      group: { name: 's3' },
      labels: [],
    },
  ],
  class_uid: 2004,
  cloud: { provider: 'aws', region: 'eu-west-1', account: { uid: '123456789012', name: 'prod' } },
  remediation: { desc: 'Block public access.', references: ['aws s3api put-public-access-block', 'https://example.com/fix'] },
  risk_details: 'Data leaks.',
  ...over,
});

describe('OCSF findings', () => {
  it('become a rule and an observation of the check engine', async () => {
    const { rules, observations, records } = await readAll('ocsf', [finding()]);
    expect(records).toBe(1);
    expect(rules).toMatchObject([
      { rule_id: 's3_bucket_public_access', engine: 'check', source: 'prowler', rationale: 'Data leaks.', tags: ['internet-exposed'] },
    ]);
    expect(observations).toEqual([
      expect.objectContaining({
        engine: 'check',
        result: 'FAIL',
        severity: 'critical',
        resource_uid: 'arn:aws:s3:::logs',
        resource_type: 'aws_s3_bucket',
        resource_name: 'logs',
        provider: 'aws',
        account_id: '123456789012',
        region: 'eu-west-1',
        service: 's3',
        mitre_techniques: ['T1530'],
        remediation: { guidance: 'Block public access.', steps: [{ action: 'Run', detail: 'aws s3api put-public-access-block' }] },
        position: '[0]',
      }),
    ]);
    expect(observations[0]?.controls).toContainEqual({ framework: 'CIS-3.0', control_id: '2.1.4' });
    expect(observations[0]?.references?.map(({ url }) => url)).toEqual(['https://example.com/fix', 'https://example.com/s3']);
  });

  it('are read as an array, as lines, one after another, alone and in a wrapper', async () => {
    const two = [finding(), finding({ resources: [{ uid: 'arn:aws:s3:::other', type: 'AwsS3Bucket' }] })];
    const reports = [
      JSON.stringify(two),
      two.map((one) => JSON.stringify(one)).join('\n'),
      two.map((one) => JSON.stringify(one, null, 2)).join('\n'),
      JSON.stringify({ Findings: two }),
    ];
    for (const report of reports)
      expect((await readAll('ocsf', report)).observations.map((one) => one.resource_name)).toEqual(['logs', 'other']);
    expect((await readAll('ocsf', finding())).records).toBe(1);
  });

  it.each([
    [{ status_code: 'PASS' }, 'PASS'],
    [{ status_code: 'MANUAL' }, undefined],
    [{ status: 'Suppressed', status_id: 3 }, undefined],
    [{ status_code: undefined, status: 'Resolved', status_id: 4 }, 'PASS'],
    [{ status_code: undefined, compliance: { status: 'Pass' } }, 'PASS'],
  ])('with %j give the result %s and count as a record', async (over, result) => {
    const { observations, records } = await readAll('ocsf', [finding(over)]);
    expect(records).toBe(1);
    expect(observations.map((one) => one.result)).toEqual(result === undefined ? [] : [result]);
  });

  it('of a check that runs once a region keep their region in the identity', async () => {
    const at = (region: string) => finding({ resources: [{ uid: 'arn:aws:iam::123456789012:root', type: 'Other', region }] });
    const { observations } = await readAll('ocsf', [at('eu-west-1'), at('us-east-1')]);
    expect(new Set(observations.map((one) => one.discriminator)).size).toBe(2);
    expect(observations[0]?.resource_type).toBe('aws_account');
  });

  it('of other clouds get their own types', async () => {
    const azure = finding({
      cloud: { provider: 'azure', account: { uid: 'sub' }, region: 'westeurope' },
      resources: [
        {
          uid: '/subscriptions/sub/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/acc',
          type: 'Microsoft.Storage/storageAccounts',
        },
      ],
    });
    const kubernetes = finding({
      cloud: undefined,
      resources: [{ uid: 'u1', name: 'pod', type: 'KubernetesAPIServer', namespace: 'kube-system' }],
    });
    const gcp = finding({
      cloud: { provider: 'gcp', account: { uid: 'p' } },
      resources: [{ uid: 'bucket', type: 'storage.googleapis.com/Bucket', region: 'eu' }],
    });
    const { observations } = await readAll('ocsf', [azure, kubernetes, gcp]);
    expect(observations.map((one) => [one.provider, one.resource_type, one.region])).toEqual([
      ['azure', 'azurerm_storage_account', 'westeurope'],
      ['k8s', 'kubernetes_api_server', 'global'],
      ['gcp', 'google_storage_bucket', 'eu'],
    ]);
  });

  it('of class 2002 are vulnerabilities', async () => {
    const vulnerability = finding({
      class_uid: 2002,
      status_code: undefined,
      metadata: { product: { name: 'Inspector' } },
      vulnerabilities: [
        {
          cve: {
            uid: 'CVE-2024-1',
            cvss: [{ version: '3.1', base_score: 9.8, vendor_name: 'NVD', vector_string: 'CVSS:3.1/AV:N' }],
            epss: { score: '0.6' },
          },
          affected_packages: [{ name: 'openssl', version: '1.1', fixed_in_version: '1.2' }],
        },
      ],
    });
    const { observations } = await readAll('ocsf', [vulnerability]);
    expect(observations).toMatchObject([
      { engine: 'vulnerability', rule_id: 'CVE-2024-1', cvss: 9.8, epss: 0.6, discriminator: 'openssl@1.1' },
    ]);
  });

  it('without their required facts are broken, each by name', async () => {
    const report = [
      finding({ finding_info: undefined }),
      finding({ resources: [] }),
      finding({ resources: [{}] }),
      finding({ finding_info: 'x' }),
      5,
      finding({ class_uid: 6003 }),
      finding(),
    ];
    const { broken, records } = await readAll('ocsf', report);
    expect(records).toBe(1);
    expect(broken.map(({ position, reason }) => `${position}: ${reason.replace(/ \(byte.*/, '')}`)).toEqual([
      '[0]: finding_info is missing',
      '[1]: resources is empty or missing',
      '[2]: resources[0].uid is missing',
      '[3]: finding_info should be an object, found text',
      '[4]: the record should be an object, found a number',
      '[5]: class_uid 6003 is no finding (2001-2999)',
    ]);
  });

  it('are of the format when there are none, and not when they are something else', async () => {
    expect((await readAll('ocsf', '[]')).items.filter((item) => item.kind !== 'scope')).toEqual([]);
    for (const report of ['{}', 'hello', '', '[{"Id":"1"}]', '{"runs":[]}'])
      await expect(readAll('ocsf', report)).rejects.toMatchObject({ name: 'NotOfFormat' });
  });
});
