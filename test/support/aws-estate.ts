import * as cloudfront from '@aws-sdk/client-cloudfront';
import * as cloudtrail from '@aws-sdk/client-cloudtrail';
import * as logs from '@aws-sdk/client-cloudwatch-logs';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as ec2 from '@aws-sdk/client-ec2';
import * as ecr from '@aws-sdk/client-ecr';
import * as ecs from '@aws-sdk/client-ecs';
import * as efs from '@aws-sdk/client-efs';
import * as eks from '@aws-sdk/client-eks';
import * as elb from '@aws-sdk/client-elastic-load-balancing';
import * as elbv2 from '@aws-sdk/client-elastic-load-balancing-v2';
import * as elasticache from '@aws-sdk/client-elasticache';
import * as iam from '@aws-sdk/client-iam';
import * as kms from '@aws-sdk/client-kms';
import * as lambda from '@aws-sdk/client-lambda';
import * as opensearch from '@aws-sdk/client-opensearch';
import * as rds from '@aws-sdk/client-rds';
import * as redshift from '@aws-sdk/client-redshift';
import * as s3 from '@aws-sdk/client-s3';
import * as s3control from '@aws-sdk/client-s3-control';
import * as secrets from '@aws-sdk/client-secrets-manager';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';

export const ACCOUNT = '123456789012';
/** An empty archive of ZIP. */
const ZIP = Buffer.from('504b0506' + '00'.repeat(18), 'hex');
const document = (Action: string, more: object = {}): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, ...more }] });

/** What every client is given. */
export const settings = (endpoint: string, region: string) => ({
  endpoint,
  region,
  credentials: { accessKeyId: 'AKIASEED', secretAccessKey: 'seed' },
  forcePathStyle: true,
  disableHostPrefix: true,
  useQueueUrlAsEndpoint: false,
});

/** Who may do what: a user with a key and a password, a group, a role, a policy. @returns the role's ARN */
export async function makeIdentities(endpoint: string): Promise<string> {
  const client = new iam.IAMClient(settings(endpoint, 'us-east-1'));
  for (let n = 0; n < 3; n++) await client.send(new iam.CreateUserCommand({ UserName: `user-${n}` }));
  await client.send(new iam.CreateAccessKeyCommand({ UserName: 'user-0' }));
  await client.send(new iam.CreateLoginProfileCommand({ UserName: 'user-0', Password: 'a long password 1A!' }));
  await client.send(
    new iam.PutUserPolicyCommand({ UserName: 'user-0', PolicyName: 'inline', PolicyDocument: document('*', { Resource: '*' }) }),
  );
  await client.send(new iam.CreateGroupCommand({ GroupName: 'people' }));
  await client.send(new iam.AddUserToGroupCommand({ UserName: 'user-1', GroupName: 'people' }));
  const trust = document('sts:AssumeRole', { Principal: { Service: 'lambda.amazonaws.com' } });
  const { Role } = await client.send(new iam.CreateRoleCommand({ RoleName: 'worker', AssumeRolePolicyDocument: trust }));
  const { Policy } = await client.send(
    new iam.CreatePolicyCommand({ PolicyName: 'read', PolicyDocument: document('s3:GetObject', { Resource: '*' }) }),
  );
  await client.send(new iam.AttachRolePolicyCommand({ RoleName: 'worker', PolicyArn: Policy!.Arn }));
  await client.send(new iam.CreateInstanceProfileCommand({ InstanceProfileName: 'machines' }));
  await client.send(new iam.UpdateAccountPasswordPolicyCommand({ MinimumPasswordLength: 14 }));
  const distribution = {
    ...{ CallerReference: 'one', Comment: '', Enabled: true, Origins: { Quantity: 1, Items: [{ Id: 'o', DomainName: 'o.example.com' }] } },
    DefaultCacheBehavior: { TargetOriginId: 'o', ViewerProtocolPolicy: 'allow-all' as const },
  };
  await new cloudfront.CloudFrontClient(settings(endpoint, 'us-east-1')).send(
    new cloudfront.CreateDistributionCommand({ DistributionConfig: distribution }),
  );
  const block = { BlockPublicAcls: true, IgnorePublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true };
  const endpointProvider = () => ({ url: new URL(endpoint) });
  await new s3control.S3ControlClient({ ...settings(endpoint, 'us-east-1'), endpointProvider }).send(
    new s3control.PutPublicAccessBlockCommand({ AccountId: ACCOUNT, PublicAccessBlockConfiguration: block }),
  );
  return Role!.Arn!;
}

/** A network with two machines, and balancers. */
async function makeNetwork(endpoint: string, region: string): Promise<{ subnets: string[]; group: string }> {
  const client = new ec2.EC2Client(settings(endpoint, region));
  const { Vpc } = await client.send(new ec2.CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const VpcId = Vpc!.VpcId!;
  const subnets: string[] = [];
  for (const [n, zone] of ['a', 'b'].entries()) {
    const made = await client.send(
      new ec2.CreateSubnetCommand({ VpcId, CidrBlock: `10.0.${n}.0/24`, AvailabilityZone: `${region}${zone}` }),
    );
    subnets.push(made.Subnet!.SubnetId!);
  }
  const { GroupId } = await client.send(new ec2.CreateSecurityGroupCommand({ GroupName: 'open', Description: 'open', VpcId }));
  const everyone = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await client.send(new ec2.AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions: everyone }));
  const { InternetGateway } = await client.send(new ec2.CreateInternetGatewayCommand({}));
  await client.send(new ec2.AttachInternetGatewayCommand({ VpcId, InternetGatewayId: InternetGateway!.InternetGatewayId }));
  await client.send(new ec2.RunInstancesCommand({ ImageId: 'ami-12c6146b', MinCount: 2, MaxCount: 2, SubnetId: subnets[0] }));
  const { VolumeId } = await client.send(new ec2.CreateVolumeCommand({ AvailabilityZone: `${region}a`, Size: 8, Encrypted: true }));
  await client.send(new ec2.CreateSnapshotCommand({ VolumeId, Description: 'made here' }));
  await client.send(new ec2.AllocateAddressCommand({ Domain: 'vpc' }));
  await client.send(new ec2.CreateKeyPairCommand({ KeyName: 'people' }));
  const template = { LaunchTemplateName: 'machines', LaunchTemplateData: { ImageId: 'ami-12c6146b', UserData: 'c2VjcmV0' } };
  await client.send(new ec2.CreateLaunchTemplateCommand(template));
  await client.send(new ec2.EnableEbsEncryptionByDefaultCommand({}));

  const v2 = new elbv2.ElasticLoadBalancingV2Client(settings(endpoint, region));
  const balancer = await v2.send(new elbv2.CreateLoadBalancerCommand({ Name: 'front', Subnets: subnets, SecurityGroups: [GroupId!] }));
  const targets = await v2.send(new elbv2.CreateTargetGroupCommand({ Name: 'web', Protocol: 'HTTP', Port: 80, VpcId }));
  await v2.send(
    new elbv2.CreateListenerCommand({
      ...{ LoadBalancerArn: balancer.LoadBalancers![0]!.LoadBalancerArn, Protocol: 'HTTP', Port: 80 },
      DefaultActions: [{ Type: 'forward', TargetGroupArn: targets.TargetGroups![0]!.TargetGroupArn }],
    }),
  );
  const listeners = [{ Protocol: 'http', LoadBalancerPort: 80, InstancePort: 80 }];
  await new elb.ElasticLoadBalancingClient(settings(endpoint, region)).send(
    new elb.CreateLoadBalancerCommand({ LoadBalancerName: 'old', Listeners: listeners, AvailabilityZones: [`${region}a`] }),
  );
  return { subnets, group: GroupId! };
}

/** Databases and stores. */
async function makeStores(endpoint: string, region: string): Promise<void> {
  const of = settings(endpoint, region);
  const relational = new rds.RDSClient(of);
  const DBInstanceIdentifier = `orders-${region}`;
  await relational.send(
    new rds.CreateDBInstanceCommand({ DBInstanceIdentifier, DBInstanceClass: 'db.t3.micro', Engine: 'postgres', AllocatedStorage: 20 }),
  );
  await relational.send(new rds.CreateDBSnapshotCommand({ DBInstanceIdentifier, DBSnapshotIdentifier: 'by-hand' }));
  await new dynamodb.DynamoDBClient(of).send(
    new dynamodb.CreateTableCommand({
      ...{ TableName: 'carts', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] },
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
  await new efs.EFSClient(of).send(new efs.CreateFileSystemCommand({ CreationToken: 'one', Encrypted: true }));
  await new opensearch.OpenSearchClient(of).send(new opensearch.CreateDomainCommand({ DomainName: 'search' }));
  await new redshift.RedshiftClient(of).send(
    new redshift.CreateClusterCommand({
      ClusterIdentifier: 'facts',
      NodeType: 'dc2.large',
      MasterUsername: 'a',
      MasterUserPassword: 'Aa345678',
    }),
  );
  await new elasticache.ElastiCacheClient(of).send(
    new elasticache.CreateCacheClusterCommand({ CacheClusterId: 'cache', Engine: 'redis', CacheNodeType: 'cache.t3.micro' }),
  );
  const Name = `ledger-${region}`;
  const buckets = new s3.S3Client(of);
  for (const Bucket of [Name, `plain-${region}`])
    await buckets.send(
      new s3.CreateBucketCommand({
        Bucket,
        ...(region !== 'us-east-1' && { CreateBucketConfiguration: { LocationConstraint: region as s3.BucketLocationConstraint } }),
      }),
    );
  const Policy = document('s3:GetObject', { Principal: '*', Resource: `arn:aws:s3:::${Name}/*` });
  await buckets.send(new s3.PutBucketPolicyCommand({ Bucket: Name, Policy }));
  await buckets.send(new s3.PutBucketVersioningCommand({ Bucket: Name, VersioningConfiguration: { Status: 'Enabled' } }));
  await buckets.send(new s3.PutBucketTaggingCommand({ Bucket: Name, Tagging: { TagSet: [{ Key: 'team', Value: 'money' }] } }));
  const block = { BlockPublicAcls: true, IgnorePublicAcls: true, BlockPublicPolicy: false, RestrictPublicBuckets: false };
  await buckets.send(new s3.PutPublicAccessBlockCommand({ Bucket: Name, PublicAccessBlockConfiguration: block }));
}

/** What runs, what it is told, and what is written of it. */
async function makeServices(endpoint: string, region: string, role: string, subnets: string[]): Promise<void> {
  const of = settings(endpoint, region);
  const keys = new kms.KMSClient(of);
  const { KeyMetadata } = await keys.send(new kms.CreateKeyCommand({ Description: 'ours' }));
  await keys.send(new kms.EnableKeyRotationCommand({ KeyId: KeyMetadata!.KeyId }));
  const functions = new lambda.LambdaClient(of);
  const FunctionName = 'pay';
  await functions.send(
    new lambda.CreateFunctionCommand({ FunctionName, Runtime: 'nodejs20.x', Role: role, Handler: 'a.b', Code: { ZipFile: ZIP } }),
  );
  const permission = { FunctionName, StatementId: 'all', Action: 'lambda:InvokeFunction', Principal: '*' };
  await functions.send(new lambda.AddPermissionCommand(permission));
  await functions.send(new lambda.CreateFunctionUrlConfigCommand({ FunctionName, AuthType: 'NONE' }));
  await new sqs.SQSClient(of).send(new sqs.CreateQueueCommand({ QueueName: 'jobs' }));
  const topics = new sns.SNSClient(of);
  const { TopicArn } = await topics.send(new sns.CreateTopicCommand({ Name: 'news' }));
  await topics.send(new sns.SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint: 'a@example.com' }));
  await new ecr.ECRClient(of).send(new ecr.CreateRepositoryCommand({ repositoryName: 'shop' }));
  const clusters = new eks.EKSClient(of);
  await clusters.send(new eks.CreateClusterCommand({ name: 'k', roleArn: role, resourcesVpcConfig: { subnetIds: subnets } }));
  await clusters.send(new eks.CreateNodegroupCommand({ clusterName: 'k', nodegroupName: 'n', nodeRole: role, subnets }));
  const containers = new ecs.ECSClient(of);
  await containers.send(new ecs.CreateClusterCommand({ clusterName: 'c' }));
  const containerDefinitions = [{ name: 'web', image: 'shop', memory: 128, privileged: true }];
  await containers.send(new ecs.RegisterTaskDefinitionCommand({ family: 'web', containerDefinitions }));
  await containers.send(new ecs.CreateServiceCommand({ cluster: 'c', serviceName: 'web', taskDefinition: 'web', desiredCount: 1 }));
  await new secrets.SecretsManagerClient(of).send(new secrets.CreateSecretCommand({ Name: 'token', SecretString: 'never to be read' }));
  const groups = new logs.CloudWatchLogsClient(of);
  // more than a page
  for (let n = 0; n < 55; n++) await groups.send(new logs.CreateLogGroupCommand({ logGroupName: `/app/${n}` }));
  await new cloudtrail.CloudTrailClient(of).send(
    new cloudtrail.CreateTrailCommand({ Name: `trail-${region}`, S3BucketName: `ledger-${region}` }),
  );
}

/** Things of every service that is asked, in one region. @param role for what needs one */
export async function makeEstate(endpoint: string, region: string, role: string): Promise<void> {
  const { subnets } = await makeNetwork(endpoint, region);
  await makeStores(endpoint, region);
  await makeServices(endpoint, region, role, subnets);
}
