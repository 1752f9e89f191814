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

const upper = (words: string): Map<string, string> =>
  new Map(
    words
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => [word.toLowerCase(), word]),
  );
/** Words of type names that are not written in lower case. */
const WORDS =
  upper(`ACL ACK ACM ADB AKS ALB AMI API ASG AWS BGP CDN CEN CIDR CIS CMK COS CPU DB DDoS DLM DLP DMS DNS DNSSEC DocDB DRG DTS DX
  DynamoDB EBS EC2 ECI ECR ECS EFS EIP EKS ELB EMR ENI ESA FC FSx FTP GKE GPDB GuardDuty HBR HDInsight HPCS HSM HTTP HTTPS IAM IAP ID IoT IP
  IPAM IPsec IPv4 IPv6 KMS LB MariaDB MemoryDB MongoDB MQ MQTT MSK MSSQL MWAA MySQL NAT NACL NAS NFS NIC NLB NSG OIDC OKE OpenAI OpenSearch
  OSS PolarDB PostgreSQL RAM RBAC RDS Redis ROS S3 SAE SageMaker SAML SAP SCC SDK SES SFN SLB SLS SMB SNS SQL SQS SSH SSL SSM SSO STS SWF TLS
  TTL UEM URL VCN VM VMware VPC VPN WAF WebPubSub CosmosDB AlloyDB BigQuery BigTable Kusto Windows Linux Lightsail CloudFront CloudTrail CloudWatch CodeBuild CodePipeline
  ElastiCache Elasticsearch Glacier Glue Kendra Lambda Lex Macie2 Neptune Redshift Transfer AppSync AppFlow Athena DAX Kinesis Firehose Kafka`)
    // what IBM Cloud's provider calls its infrastructure service
    .set('is', 'VPC')
    .set('ssoadmin', 'IAM Identity Center');

/** The provider of a resource type; undefined for a type of none. */
export function providerOf(type: string): Provider | undefined {
  return (Object.keys(TYPE_PREFIXES) as Provider[]).find((provider) => type.startsWith(TYPE_PREFIXES[provider]));
}

/** The start of the ids of a type's rules: `aws_s3_bucket` gives `aws.s3.bucket`, `aws_instance` gives `aws.instance`. */
export function resourceIdOf(type: string, provider: Provider): string {
  const [service = '', ...rest] = type.slice(TYPE_PREFIXES[provider].length).split('_');
  return [provider, service, ...(rest.length === 0 ? [] : [rest.join('_')])].join('.');
}

/** A type's name for people: `aws_s3_bucket` gives `AWS S3 bucket`. */
export function resourceLabel(type: string, provider: Provider): string {
  const words = type
    .slice(TYPE_PREFIXES[provider].length)
    .replace(/_v\d\w*$/, '')
    .split('_');
  return [LABELS[provider], ...words.map((word) => WORDS.get(word) ?? word)].join(' ');
}
