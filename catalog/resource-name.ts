import type { Provider } from '../schema/model.js';

/** The prefix of a provider's Terraform types. */
export const TYPE_PREFIXES: Readonly<Record<Provider, string>> = {
  aws: 'aws_',
  azure: 'azurerm_',
  gcp: 'google_',
  oci: 'oci_',
  alicloud: 'alicloud_',
  ibm: 'ibm_',
  k8s: 'kubernetes_',
};
const LABELS: Readonly<Record<Provider, string>> = {
  aws: 'AWS',
  azure: 'Azure',
  gcp: 'Google Cloud',
  oci: 'OCI',
  alicloud: 'Alibaba Cloud',
  ibm: 'IBM Cloud',
  k8s: 'Kubernetes',
};

/** Words of type names that are not written in lower case. */
const WRITTEN = `ACL ACK ACM ADB AKS ALB AMI API ASG AWS BGP CDN CEN CIDR CIS CMK COS CPU DB DDoS DLM DLP DMS DNS DNSSEC DocDB DRG DTS DX
  DynamoDB EBS EC2 ECI ECR ECS EFS EIP EKS ELB EMR ENI ESA FC FSx FTP GKE GPDB GuardDuty HBR HDInsight HPCS HSM HTTP HTTPS IAM IAP ID IoT IP
  IPAM IPsec IPv4 IPv6 KMS LB MariaDB MemoryDB MongoDB MQ MQTT MSK MSSQL MWAA MySQL NAT NACL NAS NFS NIC NLB NSG OIDC OKE OpenAI OpenSearch
  OSS PolarDB PostgreSQL RAM RBAC RDS Redis ROS S3 SAE SageMaker SAML SAP SCC SDK SES SFN SLB SLS SMB SNS SQL SQS SSH SSL SSM SSO STS SWF TLS
  TTL UEM URL VCN VM VMware VPC VPN WAF WebPubSub AlloyDB BigQuery Kusto Windows Linux Lightsail CloudFront CloudTrail CloudWatch CodeBuild
  CodePipeline ElastiCache Elasticsearch Glacier Glue Kendra Lambda Lex Neptune Redshift Transfer AppSync AppFlow Athena DAX Kinesis Firehose Kafka
  ActionTrail Apigee AppConfig AppStream Bedrock Bigtable Cassandra ClickHouse CloudFormation CloudSearch CloudSSO CodeArtifact CodeCommit
  CodeDeploy Cognito Databricks Datadog DataSync DataZone Detective Dialogflow EventBridge Exadata FHIR FMS GameLift Gemini GitLab Grafana GraphQL
  Hadoop HANA HBase HCI HPC IDS IKE iSCSI JDBC Jira Keyspaces KMIP Kubernetes Lindorm Logstash MaxCompute MCP MFA Nacos NetApp NGINX NoSQL OAuth OCI
  ONTAP OpenID OpenShift OpenZFS Oracle PIM Pinpoint Prometheus Purview QLDB QuickSight RocketMQ SASL SDDC SFTP SignalR SMS SMTP Snowflake
  Spanner Synapse Tair Tekton TPU URI Vertex VLAN VNIC WAFv2 WAFv3 WorkSpaces Yundun`;
/** Words of type names that stand for others. */
const NAMED: Readonly<Record<string, string>> = {
  // what IBM Cloud's provider calls its infrastructure service
  is: 'VPC',
  ssoadmin: 'IAM Identity Center',
  acls: 'ACLs',
  cidrs: 'CIDRs',
  ips: 'IPs',
  urls: 'URLs',
  accessanalyzer: 'IAM Access Analyzer',
  acmpca: 'ACM PCA',
  apigateway: 'API Gateway',
  apigatewayv2: 'API Gateway',
  apprunner: 'App Runner',
  auditmanager: 'Audit Manager',
  bedrockagent: 'Bedrock agent',
  bedrockagentcore: 'Bedrock AgentCore',
  cosmosdb: 'Cosmos DB',
  ecrpublic: 'ECR Public',
  emrcontainers: 'EMR on EKS',
  emrserverless: 'EMR Serverless',
  eventhub: 'Event Hubs',
  globalaccelerator: 'Global Accelerator',
  imagebuilder: 'Image Builder',
  inspector2: 'Inspector',
  iothub: 'IoT Hub',
  k8s: 'Kubernetes',
  kinesisanalyticsv2: 'Kinesis Analytics',
  lakeformation: 'Lake Formation',
  macie2: 'Macie',
  mskconnect: 'MSK Connect',
  neptunegraph: 'Neptune Analytics',
  networkfirewall: 'Network Firewall',
  oauth2: 'OAuth 2.0',
  opensearchserverless: 'OpenSearch Serverless',
  powerbi: 'Power BI',
  pubsub: 'Pub/Sub',
  redhat: 'Red Hat',
  redshiftserverless: 'Redshift Serverless',
  resourceexplorer2: 'Resource Explorer',
  rolesanywhere: 'IAM Roles Anywhere',
  route53: 'Route 53',
  route53domains: 'Route 53 Domains',
  s3control: 'S3 Control',
  s3tables: 'S3 Tables',
  s3vectors: 'S3 Vectors',
  secretsmanager: 'Secrets Manager',
  securityhub: 'Security Hub',
  securitylake: 'Security Lake',
  servicecatalog: 'Service Catalog',
  servicebus: 'Service Bus',
  sesv2: 'SES',
  ssmincidents: 'SSM Incident Manager',
  storagegateway: 'Storage Gateway',
  timestreamwrite: 'Timestream',
  verifiedaccess: 'Verified Access',
  verifiedpermissions: 'Verified Permissions',
  vmwareengine: 'VMware Engine',
  vpclattice: 'VPC Lattice',
  wafregional: 'WAF Regional',
  workspacesweb: 'WorkSpaces Web',
  xray: 'X-Ray',
};
const WORDS = new Map([...WRITTEN.split(/\s+/).map((word) => [word.toLowerCase(), word] as const), ...Object.entries(NAMED)]);

/** A name of lower-case words with `_` between them, for people: products in their spelling. */
export const inWords = (name: string): string =>
  withoutDoubles(
    name
      .split('_')
      .map((word) => WORDS.get(word) ?? word)
      .join(' '),
  );

/** A text without words, or pairs of words, that follow on themselves: a type's name often begins with its service's again. */
function withoutDoubles(text: string): string {
  const single = text.replace(/(?<![^ ])(\S+(?: \S+)?) \1(?![^ ])/gi, '$1');
  return single === text ? text : withoutDoubles(single);
}

/** Types of source code that runs in no cloud, with their names for people. They belong to `k8s` (docs/decisions.md). */
export const CODE_TYPES: Readonly<Record<string, string>> = {
  dockerfile_image: 'Dockerfile',
  compose_service: 'Compose service',
  github_workflow: 'GitHub workflow',
};

/** The provider of a resource type; undefined for a type of none. */
export function providerOf(type: string): Provider | undefined {
  if (Object.hasOwn(CODE_TYPES, type)) return 'k8s';
  return (Object.keys(TYPE_PREFIXES) as Provider[]).find((provider) => type.startsWith(TYPE_PREFIXES[provider]));
}

/** The start of the ids of a type's rules: `aws_s3_bucket` gives `aws.s3.bucket`, `aws_instance` gives `aws.instance`. */
export function resourceIdOf(type: string, provider: Provider): string {
  const own = Object.hasOwn(CODE_TYPES, type) ? type : type.slice(TYPE_PREFIXES[provider].length);
  const [service = '', ...rest] = own.split('_');
  return [provider, service, ...(rest.length === 0 ? [] : [rest.join('_')])].join('.');
}

/** A type's name for people: `aws_s3_bucket` gives `AWS S3 bucket`. */
export function resourceLabel(type: string, provider: Provider): string {
  if (Object.hasOwn(CODE_TYPES, type)) return CODE_TYPES[type]!;
  const name = type.slice(TYPE_PREFIXES[provider].length).replace(/_v\d\w*$/, '');
  // Cloud Run, Cloud Firewall: what stands behind the word is part of the product's name
  const words = inWords(name).replace(/^cloud ([a-z])/, (_, letter: string) => `Cloud ${letter.toUpperCase()}`);
  return withoutDoubles(`${LABELS[provider]} ${words}`);
}
