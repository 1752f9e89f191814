/** The normalized model that every part shares: the values of the specification's enums, in the order that matters. */

/** Severities, worst first (specification, "Severity scale"). */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The seven providers (specification, "Cloud-neutral naming"). */
export const PROVIDERS = ['aws', 'azure', 'gcp', 'oci', 'alicloud', 'ibm', 'k8s'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Finding statuses (specification, "States and transitions"). */
export const FINDING_STATUSES = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'SUPPRESSED', 'FALSE_POSITIVE'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** The manual moves of a finding (decision 17): from -> to. The tests read this table. */
export const MANUAL_MOVES: Readonly<Record<FindingStatus, readonly FindingStatus[]>> = {
  OPEN: ['IN_PROGRESS', 'RESOLVED', 'SUPPRESSED', 'FALSE_POSITIVE'],
  IN_PROGRESS: ['OPEN', 'RESOLVED', 'SUPPRESSED', 'FALSE_POSITIVE'],
  RESOLVED: ['OPEN'],
  SUPPRESSED: ['OPEN', 'FALSE_POSITIVE'],
  FALSE_POSITIVE: ['OPEN', 'SUPPRESSED'],
};

/** States of a scan run (decision 32). The last four are final. */
export const RUN_STATES = ['QUEUED', 'RUNNING', 'CANCELLING', 'COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** What an edge between two resources says; the schema describes each. */
export const EDGE_KINDS = [
  'contains',
  'runs_as',
  'member_of',
  'may_assume',
  'may_access',
  'guarded_by',
  'attached_to',
  'routes_to',
  'peered_with',
  'reaches',
  'encrypted_with',
  'reads_secret',
  'logs_to',
  'backed_up_by',
  'uses_image',
  'built_from',
  'deploys',
  'exposes',
  'triggers',
  'resolves_to',
  'credential_for',
  'snapshot_of',
  'escalates_to',
  'refers_to',
] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

/** How a call of an event ended: `denied` for want of rights, `failure` for another reason. */
export const EVENT_OUTCOMES = ['success', 'failure', 'denied'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

/** What acts in an event; the schema describes each. */
export const ACTOR_KINDS = ['user', 'role', 'service_account', 'root', 'service', 'federated', 'account', 'anonymous', 'unknown'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** How far the internet reaches a resource; the schema describes each. */
export const EXPOSURE_LEVELS = ['public', 'restricted', 'unknown', 'private'] as const;
export type ExposureLevel = (typeof EXPOSURE_LEVELS)[number];

/** What names a resource and says where it is, as the store holds it (decisions 2 to 4). */
export interface ResourceIdentity {
  resource_uid: string;
  /** Terraform type name, or a name in its style. */
  resource_type: string;
  resource_name: string | null;
  provider: Provider;
  account_id: string | null;
  region: string;
}

/** `region` of what has no region (decision 3). */
export const GLOBAL_REGION = 'global';

/** What a resource is for; the schema describes each. */
export const ENVIRONMENTS = ['production', 'staging', 'development', 'test'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** How much depends on an asset, most first. */
export const CRITICALITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Criticality = (typeof CRITICALITIES)[number];
