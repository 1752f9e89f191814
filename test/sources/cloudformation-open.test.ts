import { join } from 'node:path';
import { readCloudFormation } from '../../sources/cloudformation/read.js';
import { runCommand } from '../support/process.js';
import { folderOf, toldBy } from './folder.js';

const CHOICE = '${var.C ? true : false}';
const HEAD = `Parameters: { Open: { Type: String } }
Conditions: { C: !Equals [!Ref Open, 'yes'] }
Resources:
`;
const SSH = '{ IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 0.0.0.0/0 }';
const GROUP = `  G:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: web
      SecurityGroupIngress: [!If [C, ${SSH}, !Ref AWS::NoValue]]
`;
const BUCKET = `  B:
    Type: AWS::S3::Bucket
    Properties:
      VersioningConfiguration: !If [C, { Status: Enabled }, !Ref AWS::NoValue]
      BucketEncryption: !If [C, { ServerSideEncryptionConfiguration: [] }, !Ref AWS::NoValue]
      PublicAccessBlockConfiguration: !If [C, { BlockPublicAcls: true }, !Ref AWS::NoValue]
      Tags: !If [C, [{ Key: a, Value: b }], !Ref AWS::NoValue]
`;
const SWITCH = `  S:
    Type: AWS::S3::Bucket
    Properties:
      VersioningConfiguration: { Status: !If [C, Enabled, Suspended] }
      LifecycleConfiguration: !If [C, { Rules: [] }, !Ref AWS::NoValue]
      AccessControl: !Sub 'Public\${Open}'
  F:
    Type: AWS::EC2::FlowLog
    Properties: { ResourceId: !Ref Open, ResourceType: VPC }
  L:
    Type: AWS::Serverless::Function
    Properties: { Tracing: !If [C, Active, !Ref AWS::NoValue] }
  E:
    Type: AWS::EFS::FileSystem
    Properties: { FileSystemPolicy: !If [C, {}, !Ref AWS::NoValue] }
`;

it('a choice that is not known stands in the place of the block that it may be, never as none', async () => {
  const { of, assets } = await toldBy(readCloudFormation('stack.yaml', HEAD + GROUP + BUCKET + SWITCH));
  expect(of('aws_security_group.G')).toMatchObject({ ingress: [CHOICE] });
  expect(of('aws_s3_bucket.B')).toMatchObject({ versioning: CHOICE, server_side_encryption_configuration: CHOICE, tags: CHOICE });
  expect(of('aws_s3_bucket.S')).toMatchObject({ versioning: [{ enabled: CHOICE }], lifecycle_rule: [CHOICE], acl: 'Public${var.Open}' });
  expect(of('aws_flow_log.F')).toMatchObject({ vpc_id: '${var.Open}', subnet_id: '${var.Open}' });
  expect(of('aws_lambda_function.L')).toMatchObject({ tracing_config: CHOICE });
  const openOf = (address: string): unknown => assets.find(({ source }) => source.address === address)?.unknown_paths;
  expect(openOf('aws_s3_bucket.B')).toContain('aws_s3_bucket_public_access_block');
  expect(openOf('aws_efs_file_system.E')).toContain('aws_efs_file_system_policy');
  expect(assets.map(({ source }) => source.address)).not.toContain('aws_efs_file_system_policy.E');
});

// the check is a process of its own
it('rules over it neither pass nor fail', async () => {
  const folder = folderOf({ 'stack.yaml': HEAD + GROUP + BUCKET });
  const rules = ['aws.security.group.open_port.ssh', 'aws.s3.*version*', 'aws.s3.*public_access*'];
  const { stdout } = await runCommand([
    'check',
    join(folder, 'stack.yaml'),
    '--all',
    '--format',
    'json',
    ...rules.flatMap((r) => ['--rule', r]),
  ]);
  const { results } = JSON.parse(stdout) as { results: { rule_id: string; result: string }[] };
  expect(new Set(results.map(({ rule_id }) => rule_id)).size).toBeGreaterThan(2);
  expect(results.filter(({ result }) => result !== 'NOT_EVALUATED' && result !== 'NOT_APPLICABLE')).toEqual([]);
}, 120_000);
