import type { TemplateFacts } from './facts.js';
import { hclList } from './hcl-list.js';

const GROUP = 'palisade-read';
const statements = (permissions: readonly string[]): string[] =>
  permissions.map((permission) => `Allow group ${GROUP} to ${permission} in tenancy`);

export const ociTerraform = ({ permissions }: TemplateFacts): string => `
variable "tenancy_ocid" {
  type        = string
  description = "The tenancy that is to be scanned."
}

variable "email" {
  type        = string
  description = "Address of the user, which OCI asks for."
}

resource "oci_identity_user" "palisade" {
  compartment_id = var.tenancy_ocid
  name           = "${GROUP}"
  description    = "Reads configurations for Palisade."
  email          = var.email
}

resource "oci_identity_group" "palisade" {
  compartment_id = var.tenancy_ocid
  name           = "${GROUP}"
  description    = "Reads configurations for Palisade."
}

resource "oci_identity_user_group_membership" "palisade" {
  group_id = oci_identity_group.palisade.id
  user_id  = oci_identity_user.palisade.id
}

resource "oci_identity_policy" "palisade" {
  compartment_id = var.tenancy_ocid
  name           = "${GROUP}"
  description    = "What Palisade reads."
  statements     = ${hclList(statements(permissions), 2)}
}
`;

export const ociCommands = ({ permissions }: TemplateFacts): string => `
# TENANCY_OCID: the tenancy that is to be scanned; EMAIL: address of the user, which OCI asks for
set -eu
USER_OCID=$(oci iam user create --name ${GROUP} --description "Reads configurations for Palisade." --email "$EMAIL" --query data.id --raw-output)
GROUP_OCID=$(oci iam group create --name ${GROUP} --description "Reads configurations for Palisade." --query data.id --raw-output)
oci iam group add-user --user-id "$USER_OCID" --group-id "$GROUP_OCID"
oci iam policy create --compartment-id "$TENANCY_OCID" --name ${GROUP} --description "What Palisade reads." \\
  --statements '${JSON.stringify(statements(permissions))}'
`;
