import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { cloudTable } from '../../importers/cloud/table.js';
import { readCloudFormation } from '../../sources/cloudformation/read.js';
import { toldBy, type Told } from './folder.js';

const read = async (text: string): Promise<Told & { skipped: string[] }> => {
  const source = readCloudFormation('stack.yaml', text);
  return { ...(await toldBy(source)), skipped: source.skipped!().map(({ reason }) => reason) };
};
describe('functions', () => {
  const given = `Parameters:
  Env: { Type: String, Default: prod }
  Open: { Type: String }
  List: { Type: CommaDelimitedList, Default: 'a, b' }
Mappings: { M: { prod: { name: mapped } } }
Conditions:
  IsProd: !Equals [!Ref Env, prod]
  IsOpen: !Equals [!Ref Open, x]
  Both: !And [!Condition IsProd, !Not [!Condition IsProd]]
  Circle: !Condition Circle`;

  it.each([
    ['!Ref Env', 'prod'],
    ['!Ref Open', '${var.Open}'],
    ['!Sub "${Env}-${AWS::Partition}-${!Kept}"', 'prod-aws-${Kept}'],
    ['!Sub ["${A}-x", { A: !Ref Env }]', 'prod-x'],
    ['!Join ["-", [a, !Ref Env]]', 'a-prod'],
    ['!Select [1, !Ref List]', 'b'],
    ['!Select [0, !Split [",", "x,y"]]', 'x'],
    ['!FindInMap [M, !Ref Env, name]', 'mapped'],
    ['!If [IsProd, one, other]', 'one'],
    ['!If [Both, one, other]', 'other'],
    ['!If [IsOpen, same, same]', 'same'],
    ['!If [IsOpen, one, other]', '${var.IsOpen ? true : false}'],
    ['!If [Circle, one, other]', '${var.Circle ? true : false}'],
    ['!If [IsProd, !Ref AWS::NoValue, other]', null],
    ['{ "Fn::Sub": "${Env}" }', 'prod'],
    ['!GetAtt Key.Arn', '${aws_kms_key.Key.arn}'],
  ])('%s', async (expression, value) => {
    const { of } = await read(
      `${given}\nResources:\n  Key: { Type: AWS::KMS::Key }\n  B:\n    Type: AWS::S3::Bucket\n    Properties:\n      BucketName: ${expression}\n`,
    );
    expect(of('aws_s3_bucket.B')['bucket']).toEqual(value);
  });
});

it('a bucket and what belongs to it are what Terraform makes of it, and refer to each other', async () => {
  const { of, edges, assets } = await read(`Resources:
  B:
    Type: AWS::S3::Bucket
    Properties:
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, IgnorePublicAcls: false }
      VersioningConfiguration: { Status: Enabled }
      Tags: [{ Key: team, Value: pay }]
  P:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref B
      PolicyDocument: { Statement: [{ Effect: Allow, Principal: '*', Action: 's3:*', Resource: !Sub '\${B.Arn}/*' }] }
`);
  expect(assets.map(({ source }) => source.address)).toEqual([
    'aws_s3_bucket.B',
    'aws_s3_bucket_public_access_block.B',
    'aws_s3_bucket_versioning.B',
    'aws_s3_bucket_policy.P',
  ]);
  expect(of('aws_s3_bucket.B')).toMatchObject({ versioning: [{ enabled: true }], tags: { team: 'pay' }, logging: null });
  expect(of('aws_s3_bucket_public_access_block.B')).toMatchObject({
    block_public_acls: true,
    ignore_public_acls: false,
    restrict_public_buckets: null,
  });
  expect(JSON.parse(of('aws_s3_bucket_policy.P')['policy'] as string)).toMatchObject({
    Statement: [{ Resource: '${aws_s3_bucket.B.arn}/*' }],
  });
  expect(
    edges
      .filter(({ to }) => to.endsWith('aws_s3_bucket.B'))
      .map(({ via }) => via)
      .sort(),
  ).toEqual(['bucket', 'bucket', 'bucket', 'policy']);
});

it('a security group has its rules, and what no line names is open', async () => {
  const { of, assets } = await read(`Resources:
  G:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: web
      SecurityGroupIngress: [{ IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 0.0.0.0/0 }]
`);
  expect(of('aws_security_group.G')).toMatchObject({
    ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['0.0.0.0/0'] }],
  });
  expect(assets[0]!.unknown_paths).toContain('*');
});

it('SAM functions take the globals of their template', async () => {
  const { of } = await read(`Transform: AWS::Serverless-2016-10-31
Globals: { Function: { Runtime: nodejs20.x, Environment: { Variables: { A: '1' } } } }
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties: { Handler: a.b, Environment: { Variables: { B: '2' } } }
`);
  expect(of('aws_lambda_function.F')).toMatchObject({ runtime: 'nodejs20.x', environment: [{ variables: { A: '1', B: '2' } }] });
});

it('resources whose condition does not hold are not made, and types that are not mapped are told with their line', async () => {
  const source = readCloudFormation(
    'stack.yaml',
    'Conditions: { No: !Equals [a, b] }\nResources:\n  A: { Type: AWS::S3::Bucket, Condition: No }\n  U:\n    Type: AWS::GameLift::Fleet\n  C: { Type: Custom::Thing }\n  K: { Type: AWS::KMS::Key }\n',
  );
  const { assets } = await toldBy(source);
  expect(assets.map(({ source: { address } }) => address)).toEqual(['aws_kms_key.K']);
  expect(source.placeOf(assets[0]!)).toMatchObject({ file: 'stack.yaml', line: 7 });
  expect(source.skipped!()).toEqual([{ file: 'stack.yaml', line: 4, reason: 'U: AWS::GameLift::Fleet is not mapped' }]);
});

it('JSON says the same, and what is no template says why', async () => {
  expect(
    (await read('{"Resources": {"B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": {"Ref": "AWS::StackName"}}}}}')).assets,
  ).toHaveLength(1);
  expect(() => readCloudFormation('x', 'Resources:\n  - [')).toThrow(/line \d/);
  expect(() => readCloudFormation('x', 'Description: none\n')).toThrow('it has no Resources');
  expect(() => readCloudFormation('x', `Resources: ${'{ a: '.repeat(300)}1${' }'.repeat(300)}`)).toThrow('nested too deep');
});

it('at least 150 types are mapped, each once or by what it has', () => {
  const { things } = cloudTable('cloudformation');
  const types = things.flatMap(({ config }) => config);
  expect(new Set(types).size).toBeGreaterThanOrEqual(150);
  const doubled = types.filter((type, n) => types.indexOf(type) !== n);
  expect(things.filter(({ config, has }) => doubled.includes(config[0]!) && has.length === 0)).toEqual([]);
});

const SAMPLES = load(readFileSync(join(__dirname, 'fixtures/cloudformation-samples.yaml'), 'utf8')) as Record<string, object>;

/** What another value of the same property would tell. */
const OTHERWISE = new Set(['aws_flow_log.subnet_id', 'aws_flow_log.eni_id']);

it('every line of the table takes what it names from a sample of its type', async () => {
  const { things } = cloudTable('cloudformation');
  const faults: string[] = [];
  for (const { config, type, has, values, same, more } of things) {
    const [kind = ''] = config;
    const properties = Object.entries(SAMPLES[kind] ?? {}).filter(
      ([name]) => kind !== 'AWS::IAM::Policy' || has[0] === name || /^Policy/.test(name),
    );
    const resource = { Type: kind, Properties: Object.fromEntries(properties) };
    const { assets } = await toldBy(readCloudFormation('sample', JSON.stringify({ Resources: { R: resource } })));
    const own = assets.find(({ resource_type }) => resource_type === type)?.configuration ?? {};
    const names = [...Object.keys(values), ...same.map((entry) => (typeof entry === 'string' ? entry : entry.block))];
    const isMissing = (name: string): boolean => (own[name] ?? null) === null && !OTHERWISE.has(`${type}.${name}`);
    faults.push(...names.filter(isMissing).map((name) => `${kind} ${type}.${name}`));
    for (const made of more)
      if (!assets.some(({ resource_type }) => resource_type === made.type)) faults.push(`${kind} makes no ${made.type}`);
    faults.push(...names.filter((name, n) => names.indexOf(name) !== n).map((name) => `${kind} names ${name} twice`));
  }
  expect(faults).toEqual([]);
});

it('a policy of several roles, users and groups is one of each', async () => {
  const { assets, of } = await read(`Resources:
  R: { Type: AWS::IAM::Role }
  P:
    Type: AWS::IAM::Policy
    Properties: { PolicyName: p, PolicyDocument: { Statement: [] }, Roles: [!Ref R, other], Users: [someone], Groups: [some] }
`);
  expect(assets.map(({ source }) => source.address).sort()).toEqual([
    'aws_iam_group_policy.P',
    'aws_iam_role.R',
    'aws_iam_role_policy.P',
    'aws_iam_role_policy.P-1',
    'aws_iam_user_policy.P',
  ]);
  expect([of('aws_iam_role_policy.P')['role'], of('aws_iam_role_policy.P-1')['role']]).toEqual(['${aws_iam_role.R.id}', 'other']);
  expect(of('aws_iam_user_policy.P')).toMatchObject({ user: 'someone', policy: '{"Statement":[]}' });
});

it('YAML is read as CloudFormation reads it: switches in words, merged maps, names as they are written', async () => {
  const { of } = await read(`Mappings: { M: { on: { yes: named } } }
Resources:
  DB: &db
    Type: AWS::RDS::DBInstance
    Properties: &shared { StorageEncrypted: yes, MultiAZ: off, Engine: mysql, DBName: y }
  Other:
    <<: *db
    Properties: { <<: *shared, Engine: !FindInMap [M, 'on', 'yes'] }
`);
  expect(of('aws_db_instance.DB')).toMatchObject({ storage_encrypted: true, multi_az: false, engine: 'mysql', db_name: 'y' });
  expect(of('aws_db_instance.Other')).toMatchObject({ storage_encrypted: true, multi_az: false, engine: 'named' });
});
