/** Which tables of Azure Resource Graph hold the types, where it is not `resources`. */
export type GraphTable =
  | 'resources'
  | 'resourcecontainers'
  | 'authorizationresources'
  | 'batchresources'
  | 'kubernetesconfigurationresources'
  | 'managedserviceresources'
  | 'policyresources'
  | 'securityresources';

/** What is asked of a service. The action that each takes is its type with `/read`; the names of types are those of the resource providers' actions. */
export interface AzureService {
  readonly service: string;
  /** Types that the graph tells. */
  readonly graph: Readonly<Partial<Record<GraphTable, readonly string[]>>>;
  /** What the graph lacks, and the resource providers list. */
  readonly lists?: readonly AzureList[];
}

/** A list of a resource provider. */
export interface AzureList {
  readonly type: string;
  /** The types whose things have such a list each; of the subscription where there is none. */
  readonly of?: readonly string[];
  /** Kinds of such things that have it; all when there is none. */
  readonly kinds?: RegExp;
  /** Behind the identifier. */
  readonly path: string;
  readonly version: string;
}
