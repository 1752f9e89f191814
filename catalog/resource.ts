import type { Plain } from './cel/read.js';

/** A resource as the models of networks and of access read it: Terraform's type and values, or a Kubernetes manifest. */
export interface InventoryResource {
  resource_uid: string;
  resource_type: string;
  provider: string;
  resource_name?: string | undefined;
  account_id?: string | undefined;
  configuration: Plain;
  /** Attribute paths that the source does not know yet. */
  unknown_paths?: readonly string[] | undefined;
}
