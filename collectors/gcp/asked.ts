/** What is asked of a service: the types of assets that its interfaces have in Cloud Asset Inventory. */
export interface GcpService {
  readonly service: string;
  /** `compute` of `compute.googleapis.com/Instance`. */
  readonly apis: readonly string[];
  /** Whether it has policies of the organization. */
  readonly orgPolicies?: true;
}

/** What is told of assets, with the permission that asking for it takes. */
export const CONTENTS = [
  { content: 'RESOURCE', permission: 'cloudasset.assets.listResource' },
  { content: 'IAM_POLICY', permission: 'cloudasset.assets.listIamPolicy' },
  { content: 'ORG_POLICY', permission: 'cloudasset.assets.listOrgPolicy' },
] as const;

const words = (text: string): string[] => text.split(/\s+/);

/** By service, named by what people call it; what `importers/cloud/tables/gcp.yaml` reads, without parameters, of which the inventory may hold the values. */
export const GCP_SERVICES: readonly GcpService[] = [
  {
    service: 'resourcemanager',
    apis: words('cloudresourcemanager orgpolicy essentialcontacts cloudbilling accesscontextmanager servicemanagement serviceusage'),
    orgPolicies: true,
  },
  { service: 'iam', apis: words('iam iap identitytoolkit cloudidentity privilegedaccessmanager apikeys') },
  { service: 'storage', apis: words('storage storagetransfer file netapp backupdr') },
  { service: 'compute', apis: words('compute osconfig vmwareengine tpu deploymentmanager') },
  { service: 'network', apis: words('dns vpcaccess networksecurity networkservices certificatemanager') },
  { service: 'cloudsql', apis: words('sqladmin') },
  {
    service: 'databases',
    apis: words('spanner bigtableadmin alloydb firestore redis memcache memorystore datastream datamigration oracledatabase'),
  },
  { service: 'cloudkms', apis: words('cloudkms secretmanager privateca') },
  { service: 'container', apis: words('container gkehub gkebackup artifactregistry binaryauthorization') },
  { service: 'serverless', apis: words('run cloudfunctions appengine workflows cloudscheduler cloudtasks eventarc') },
  { service: 'bigquery', apis: words('bigquery bigquerydatatransfer bigqueryconnection analyticshub') },
  { service: 'analytics', apis: words('dataproc metastore dataflow composer dataplex looker healthcare') },
  { service: 'messaging', apis: words('pubsub managedkafka integrations connectors apigee') },
  { service: 'ai', apis: words('aiplatform notebooks dialogflow discoveryengine modelarmor') },
  { service: 'monitoring', apis: words('logging monitoring') },
  { service: 'development', apis: words('cloudbuild sourcerepo securesourcemanager blockchainnodeengine') },
];
