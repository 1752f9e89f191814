import type { TemplateFacts } from './facts.js';
import { hclList } from './hcl-list.js';

const ROLE = 'Palisade reader';

export const azureTerraform = ({ permissions }: TemplateFacts): string => `
variable "subscription_id" {
  type        = string
  description = "The subscription that is to be scanned."
}

variable "principal_id" {
  type        = string
  description = "Object id of the service principal that is to read."
}

resource "azurerm_role_definition" "palisade" {
  name              = "${ROLE}"
  scope             = "/subscriptions/\${var.subscription_id}"
  assignable_scopes = ["/subscriptions/\${var.subscription_id}"]
  permissions {
    actions = ${hclList(permissions, 4)}
  }
}

resource "azurerm_role_assignment" "palisade" {
  scope              = "/subscriptions/\${var.subscription_id}"
  role_definition_id = azurerm_role_definition.palisade.role_definition_resource_id
  principal_id       = var.principal_id
}
`;

const definition = (permissions: readonly string[]) => ({
  Name: ROLE,
  Description: 'Reads configurations.',
  Actions: permissions,
  AssignableScopes: ['/subscriptions/$SUBSCRIPTION_ID'],
});

export const azureCommands = ({ permissions }: TemplateFacts): string => `
# SUBSCRIPTION_ID: the subscription that is to be scanned; PRINCIPAL_ID: object id of the service principal that is to read
set -eu
az role definition create --role-definition "$(cat <<EOF
${JSON.stringify(definition(permissions), null, 2)}
EOF
)"
az role assignment create --assignee-object-id "$PRINCIPAL_ID" --assignee-principal-type ServicePrincipal \\
  --role "${ROLE}" --scope "/subscriptions/$SUBSCRIPTION_ID"
`;
