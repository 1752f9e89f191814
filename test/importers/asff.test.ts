import { readAll } from './read-all.js';

const finding = (over: Record<string, unknown> = {}) => ({
  SchemaVersion: '2018-10-08',
  Id: 'arn:aws:securityhub:eu-west-1:123456789012:security-control/S3.8/finding/abc',
  ProductArn: 'arn:aws:securityhub:eu-west-1::product/aws/securityhub',
  ProductName: 'Security Hub',
  GeneratorId: 'security-control/S3.8',
  AwsAccountId: '123456789012',
  Types: ['Software and Configuration Checks/Industry and Regulatory Standards'],
  Severity: { Label: 'HIGH', Normalized: 70 },
  Title: 'S3 buckets should block public access',
  Description: 'Checks buckets.',
  Resources: [{ Type: 'AwsS3Bucket', Id: 'arn:aws:s3:::logs', Region: 'eu-west-1' }],
  Compliance: {
    Status: 'FAILED',
    SecurityControlId: 'S3.8',
    RelatedRequirements: ['NIST.800-53.r5 AC-3', 'CIS AWS Foundations Benchmark v3.0.0/2.1.4'],
  },
  Workflow: { Status: 'NEW' },
  RecordState: 'ACTIVE',
  ...over,
});

describe('Security Hub findings', () => {
  it('become a rule and an observation of the check engine', async () => {
    const { rules, observations } = await readAll('asff', { Findings: [finding()] });
    expect(rules).toMatchObject([{ rule_id: 'S3.8', engine: 'check', source: 'security hub', resource_type: 'aws_s3_bucket' }]);
    expect(observations).toMatchObject([
      {
        engine: 'check',
        result: 'FAIL',
        severity: 'high',
        resource_uid: 'arn:aws:s3:::logs',
        resource_name: 'logs',
        account_id: '123456789012',
        region: 'eu-west-1',
        position: 'Findings[0]',
      },
    ]);
    expect(observations[0]?.controls).toEqual([
      { framework: 'NIST.800-53.r5', control_id: 'AC-3' },
      { framework: 'CIS AWS Foundations Benchmark v3.0.0', control_id: '2.1.4' },
    ]);
  });

  it('are read from Findings, findings, an array and an event', async () => {
    for (const report of [
      { Findings: [finding()] },
      { findings: [finding()] },
      [finding()],
      { 'detail-type': 'x', detail: { findings: [finding()] } },
    ]) {
      expect((await readAll('asff', report)).records).toBe(1);
    }
  });

  it.each([
    [{ Compliance: { Status: 'PASSED' } }, 'PASS'],
    [{ Compliance: { Status: 'WARNING' } }, undefined],
    [{ Compliance: { Status: 'NOT_AVAILABLE' } }, undefined],
    [{ RecordState: 'ARCHIVED' }, 'PASS'],
    [{ Workflow: { Status: 'RESOLVED' } }, 'PASS'],
    [{ Workflow: { Status: 'SUPPRESSED' } }, undefined],
    [{ Compliance: undefined }, 'FAIL'],
  ])('with %j give the result %s and count as a record', async (over, result) => {
    const { observations, records } = await readAll('asff', [finding(over)]);
    expect(records).toBe(1);
    expect(observations.map((one) => one.result)).toEqual(result === undefined ? [] : [result]);
  });

  it('of GuardDuty are detections, told apart by their own id', async () => {
    const detection = (id: string) =>
      finding({
        Id: `arn:aws:guardduty:eu-west-1:1:detector/d/finding/${id}`,
        ProductName: 'GuardDuty',
        Compliance: undefined,
        GeneratorId: 'arn:aws:guardduty:x',
        Types: ['TTPs/Initial Access/UnauthorizedAccess:EC2-SSHBruteForce'],
      });
    const { observations } = await readAll('asff', [detection('1'), detection('2')]);
    expect(observations.map((one) => one.discriminator)).toEqual(['1', '2']);
    expect(observations[0]).toMatchObject({ engine: 'cdr', rule_id: 'UnauthorizedAccess:EC2-SSHBruteForce', mitre_tactics: ['TA0001'] });
  });

  it('of Prowler with TTPs in their types stay checks', async () => {
    const { observations } = await readAll('asff', [
      finding({
        ProductName: undefined,
        ProductFields: { ProviderName: 'Prowler' },
        GeneratorId: 'prowler-s3_public',
        Types: ['TTPs/Discovery'],
        Compliance: { Status: 'FAILED' },
      }),
    ]);
    expect(observations).toMatchObject([{ engine: 'check', rule_id: 's3_public' }]);
  });

  it('that name vulnerabilities carry their scores and packages', async () => {
    const { observations } = await readAll('asff', [
      finding({
        ProductName: 'Inspector',
        Compliance: undefined,
        Resources: [{ Type: 'AwsEcrContainerImage', Id: 'arn:aws:ecr:eu-west-1:1:repository/app/sha256:ab' }],
        Vulnerabilities: [
          {
            Id: 'CVE-2023-2650',
            EpssScore: 0.7,
            Cvss: [
              { Version: '2.0', BaseScore: 5, Source: 'NVD' },
              { Version: '3.1', BaseScore: 6.5, Source: 'NVD', BaseVector: 'CVSS:3.1/AV:N' },
              { Version: '3.1', BaseScore: 9, Source: 'REDHAT' },
            ],
            VulnerablePackages: [{ Name: 'openssl', Version: '1.1.1n', Release: '0+deb11u4', FixedInVersion: '1.1.1n-0+deb11u5' }],
          },
        ],
      }),
    ]);
    expect(observations).toMatchObject([
      {
        engine: 'vulnerability',
        rule_id: 'CVE-2023-2650',
        cvss: 6.5,
        epss: 0.7,
        resource_type: 'container_image',
        discriminator: 'openssl@1.1.1n-0+deb11u4',
      },
    ]);
  });

  it('never show an access key id, in the resource or elsewhere', async () => {
    const key = `AKIA${'IOSFODNN7EXAMPLQ'}`;
    const { items } = await readAll('asff', [
      finding({
        Compliance: undefined,
        Types: ['TTPs/x/y'],
        Title: `Key ${key} was used`,
        Resources: [{ Type: 'AwsIamAccessKey', Id: `AWS::IAM::AccessKey:${key}` }],
      }),
    ]);
    expect(JSON.stringify(items)).not.toContain(key);
    expect(JSON.stringify(items)).toContain('AWS::IAM::AccessKey:[REDACTED]-');
  });

  it('with one identity and different results stay apart', async () => {
    const twice = [
      finding({ Description: 'key 1 is old' }),
      finding({ Description: 'key 2 is old' }),
      finding({ Description: 'key 1 is old' }),
    ];
    const { observations } = await readAll('asff', twice);
    expect(observations.map((one) => one.discriminator)).toEqual(['eu-west-1', 'eu-west-1#2', 'eu-west-1']);
  });

  it('without their required facts are broken, each by name', async () => {
    const { broken, records } = await readAll('asff', [
      finding({ Id: undefined }),
      finding({ Resources: undefined }),
      finding({ Resources: [{ Type: 'x' }] }),
      null,
      finding({ Id: {} }),
      finding(),
    ]);
    expect(records).toBe(1);
    expect(broken.map(({ reason }) => reason.replace(/ \(byte.*/, ''))).toEqual([
      'Id is missing',
      'Resources is empty or missing',
      'Resources[0].Id is missing',
      'the record should be an object, found null',
      'Id should be text, found an object',
    ]);
  });

  it('are of the format when there are none, and not when they are something else', async () => {
    for (const report of [[], { Findings: [] }])
      expect((await readAll('asff', report)).items.filter((item) => item.kind !== 'scope')).toEqual([]);
    for (const report of [{}, { runs: [] }, [{ class_uid: 2004 }]])
      await expect(readAll('asff', report)).rejects.toMatchObject({ name: 'NotOfFormat' });
  });
});

it('findings are read as lines, and from lines and arrays of events, which cover their own findings alone', async () => {
  const event = { 'detail-type': 'Security Hub Findings - Imported', detail: { findings: [finding()] } };
  const lines = (record: unknown): string => `${JSON.stringify(record)}\n${JSON.stringify(record)}\n`;
  for (const [report, artifact] of [
    [lines(finding()), undefined],
    [lines(event), finding().Id],
    [[event, event], finding().Id],
  ] as const) {
    const { records, observations } = await readAll('asff', report);
    expect([records, observations.map((observation) => observation.artifact)]).toEqual([2, [artifact, artifact]]);
  }
});
