import { many, type Emulated } from './emulated.js';
import { trail } from './records.js';

const ADMIN = { policyArn: 'arn:aws:iam::aws:policy/AdministratorAccess' };
const EVERYTHING = { policyDocument: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}' };
const PROFILE = { instanceProfileName: 'web', roleName: 'r' };
/** Several calls of one actor, a second apart. */
const calls = (make: (n: number) => object, count: number): object => ({
  Records: many(make, count).map((one, n) => ({
    ...one,
    eventID: `e${n}`,
    eventTime: `2030-01-01T10:00:${String(n % 60).padStart(2, '0')}Z`,
  })),
});
const inTurn = (...of: readonly object[]): object => calls((n) => of[n]!, of.length);

/** https://rhinosecuritylabs.com/aws/aws-privilege-escalation-methods-mitigation/ and its second part, in their order. */
const ESCALATIONS: readonly Emulated[] = [
  ['CreatePolicyVersion', ['T1098.003'], trail('iam', 'CreatePolicyVersion', { policyArn: 'arn:x', setAsDefault: true, ...EVERYTHING })],
  ['SetDefaultPolicyVersion', ['T1098.003'], trail('iam', 'SetDefaultPolicyVersion', { policyArn: 'arn:x', versionId: 'v1' })],
  [
    'instance profile of an instance',
    ['T1098.003'],
    trail('ec2', 'AssociateIamInstanceProfile', { AssociateIamInstanceProfileRequest: { InstanceId: 'i-1', IamInstanceProfile: PROFILE } }),
  ],
  ['CreateAccessKey', ['T1098.001'], trail('iam', 'CreateAccessKey', { userName: 'admin' })],
  ['CreateLoginProfile', ['T1098'], trail('iam', 'CreateLoginProfile', { userName: 'admin' })],
  ['UpdateLoginProfile', ['T1098'], trail('iam', 'UpdateLoginProfile', { userName: 'admin' })],
  ['AttachUserPolicy', ['T1098.003'], trail('iam', 'AttachUserPolicy', { userName: 'eve', ...ADMIN })],
  ['AttachGroupPolicy', ['T1098.003'], trail('iam', 'AttachGroupPolicy', { groupName: 'g', ...ADMIN })],
  ['AttachRolePolicy', ['T1098.003'], trail('iam', 'AttachRolePolicy', { roleName: 'r', ...ADMIN })],
  ['PutUserPolicy', ['T1098.003'], trail('iam', 'PutUserPolicy', { userName: 'eve', ...EVERYTHING })],
  ['PutGroupPolicy', ['T1098.003'], trail('iam', 'PutGroupPolicy', { groupName: 'g', ...EVERYTHING })],
  ['PutRolePolicy', ['T1098.003'], trail('iam', 'PutRolePolicy', { roleName: 'r', ...EVERYTHING })],
  ['AddUserToGroup', ['T1098.003'], trail('iam', 'AddUserToGroup', { userName: 'eve', groupName: 'Administrators' })],
  [
    'UpdateAssumeRolePolicy',
    ['T1098.003', 'T1199'],
    trail('iam', 'UpdateAssumeRolePolicy', {
      roleName: 'admin',
      policyDocument: '{"Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::444455556666:root"},"Action":"sts:AssumeRole"}]}',
    }),
  ],
  [
    'event source of a function',
    ['T1546'],
    trail('lambda', 'CreateEventSourceMapping20150331', { functionName: 'f', eventSourceArn: 'arn:x' }),
  ],
  ['code of a function', ['T1648'], trail('lambda', 'UpdateFunctionCode20150331v2', { functionName: 'f' })],
  [
    'layer of a function',
    ['T1648', 'T1574'],
    trail('lambda', 'UpdateFunctionConfiguration20150331v2', { functionName: 'f', layers: ['arn:x'] }),
  ],
  ['Glue endpoint', ['T1548', 'T1098.004'], trail('glue', 'UpdateDevEndpoint', { endpointName: 'e', publicKey: 'ssh-rsa A' })],
  ['pipeline of Data Pipeline', ['T1548'], trail('datapipeline', 'PutPipelineDefinition', { pipelineId: 'df-1' })],
  ['member of CodeStar', ['T1098.003'], trail('codestar', 'AssociateTeamMember', { projectId: 'p', projectRole: 'Owner' })],
  ['notebook', ['T1059'], trail('sagemaker', 'CreatePresignedNotebookInstanceUrl', { notebookInstanceName: 'n' })],
  ['build with other commands', ['T1648'], trail('codebuild', 'StartBuild', { projectName: 'p', buildspecOverride: 'version: 0.2' })],
];

/** https://github.com/RhinoSecurityLabs/cloudgoat: the step of a scenario that a log tells. */
const SCENARIOS: readonly Emulated[] = [
  [
    'iam_privesc_by_attachment',
    ['T1098.003'],
    inTurn(trail('iam', 'RemoveRoleFromInstanceProfile', PROFILE), trail('iam', 'AddRoleToInstanceProfile', PROFILE)),
  ],
  [
    'rds_snapshot',
    ['T1530'],
    inTurn(
      trail('rds', 'RestoreDBInstanceFromDBSnapshot', { dBInstanceIdentifier: 'copy', dBSnapshotIdentifier: 's' }),
      trail('rds', 'ModifyDBInstance', { dBInstanceIdentifier: 'copy', masterUserPassword: '****' }),
    ),
  ],
  [
    'beanstalk_secrets',
    ['T1552.001'],
    calls((n) => trail('elasticbeanstalk', 'DescribeConfigurationSettings', { applicationName: 'a', environmentName: `e${n}` }), 3),
  ],
  [
    'ecs_takeover',
    ['T1552.005'],
    trail('ecs', 'RegisterTaskDefinition', {
      containerDefinitions: [{ command: ['sh', '-c', 'curl 169.254.170.2$AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] }],
    }),
  ],
  [
    'vulnerable_cognito',
    ['T1098.003'],
    trail('cognito-identity', 'SetIdentityPoolRoles', { identityPoolId: 'p', roles: { unauthenticated: 'arn:x' } }),
  ],
  ['federated_console_takeover', ['T1550.001'], trail('sts', 'GetFederationToken', { name: 'x' })],
  ['console of a session', ['T1538'], trail('signin', 'GetSigninToken', {}, { userAgent: 'python-requests/2.32' })],
];

/** https://detectioninthe.cloud (Leonidas), https://github.com/RhinoSecurityLabs/pacu and https://github.com/redcanaryco/atomic-red-team: what is not among the above. */
const CASES: readonly Emulated[] = [
  ['trail without validation', ['T1562.008'], trail('cloudtrail', 'UpdateTrail', { name: 't', enableLogFileValidation: false })],
  ['trail without global events', ['T1562.008'], trail('cloudtrail', 'UpdateTrail', { name: 't', includeGlobalServiceEvents: false })],
  ['trail of one region', ['T1562.008'], trail('cloudtrail', 'UpdateTrail', { name: 't', isMultiRegionTrail: false })],
  ['rule of Config deleted', ['T1562.001'], trail('config', 'DeleteConfigRule', { configRuleName: 'r' })],
  ['address list of GuardDuty', ['T1562.001'], trail('guardduty', 'UpdateIPSet', { detectorId: 'd', ipSetId: 'i', activate: true })],
  ['threat list of GuardDuty', ['T1562.001'], trail('guardduty', 'DeleteThreatIntelSet', { detectorId: 'd', threatIntelSetId: 't' })],
  ['rule group of WAF deleted', ['T1562.007'], trail('network-firewall', 'DeleteRuleGroup', { ruleGroupName: 'r' })],
  ['network ACL deleted', ['T1562.007'], trail('ec2', 'DeleteNetworkAcl', { networkAclId: 'acl-1' })],
  ['metric filter deleted', ['T1562.008'], trail('logs', 'DeleteMetricFilter', { logGroupName: 'g', filterName: 'f' })],
  ['user data', ['T1059'], trail('ec2', 'ModifyInstanceAttribute', { instanceId: 'i-1', userData: '<sensitiveDataRemoved>' })],
  ['authorization details', ['T1087.004'], trail('iam', 'GetAccountAuthorizationDetails', {}, { userAgent: 'Boto3/1.35' })],
  ['session without a second factor', ['T1550.001'], trail('sts', 'GetSessionToken', { durationSeconds: 3600 })],
  ['consoles of instances', ['T1552'], calls((n) => trail('ec2', 'GetConsoleScreenshot', { instanceId: `i-${n}` }), 5)],
  ['certificate exported', ['T1649'], trail('acm', 'ExportCertificate', { certificateArn: 'arn:x', passphrase: '****' })],
  [
    'certificate issued',
    ['T1649'],
    trail('acm-pca', 'IssueCertificate', { certificateAuthorityArn: 'arn:x', signingAlgorithm: 'SHA256WITHRSA' }),
  ],
  ['trust of an own authority', ['T1649'], trail('rolesanywhere', 'CreateTrustAnchor', { name: 'x', enabled: true })],
  [
    'provider of SAML replaced',
    ['T1606.002'],
    trail('iam', 'UpdateSAMLProvider', { sAMLProviderArn: 'arn:x', sAMLMetadataDocument: '<x/>' }),
  ],
  ['permission set', ['T1098.003'], trail('sso', 'PutInlinePolicyToPermissionSet', { inlinePolicy: EVERYTHING.policyDocument })],
  [
    'provider of a cluster',
    ['T1098.006'],
    trail('eks', 'AssociateIdentityProviderConfig', { clusterName: 'c', oidc: { issuerUrl: 'https://x' } }),
  ],
  ['script of a studio', ['T1546'], trail('sagemaker', 'CreateStudioLifecycleConfig', { studioLifecycleConfigName: 'x' })],
  [
    'objects under another key',
    ['T1486'],
    calls(
      (n) =>
        trail('s3', 'CopyObject', {
          ...{ bucketName: 'b', key: `k${n}` },
          'x-amz-server-side-encryption-aws-kms-key-id': 'arn:aws:kms:eu-central-1:444455556666:key/k',
        }),
      50,
    ),
  ],
];

export const AWS_OTHERS: readonly Emulated[] = [...ESCALATIONS, ...SCENARIOS, ...CASES];
