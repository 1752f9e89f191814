import type { TemplateFacts } from './facts.js';
import { hclList } from './hcl-list.js';

const ROLE = 'palisade-read';

/** Trust in the account of the service, bound to the external id. */
const trust = (externalId: string) => ({
  Version: '1',
  Statement: [
    {
      Action: 'sts:AssumeRole',
      Effect: 'Allow',
      Principal: { RAM: ['$TRUSTED_PRINCIPAL'] },
      Condition: { StringEquals: { 'sts:ExternalId': externalId } },
    },
  ],
});

const policy = (permissions: readonly string[]) => ({
  Version: '1',
  Statement: [{ Effect: 'Allow', Resource: ['*'], Action: permissions }],
});

export const alicloudTerraform = ({ permissions, externalId }: TemplateFacts): string => `
variable "trusted_principal" {
  type        = string
  description = "The identity that Palisade has in Alibaba Cloud (acs:ram::NUMBER:root); its operator tells it."
}

resource "alicloud_ram_role" "palisade" {
  role_name                   = "${ROLE}"
  max_session_duration        = 3600
  assume_role_policy_document = jsonencode({
    Version   = "1"
    Statement = [{
      Action    = "sts:AssumeRole"
      Effect    = "Allow"
      Principal = { RAM = [var.trusted_principal] }
      Condition = { StringEquals = { "sts:ExternalId" = ${JSON.stringify(externalId)} } }
    }]
  })
}

resource "alicloud_ram_policy" "palisade" {
  policy_name     = "${ROLE}"
  policy_document = jsonencode({
    Version   = "1"
    Statement = [{
      Effect   = "Allow"
      Resource = ["*"]
      Action   = ${hclList(permissions, 6)}
    }]
  })
}

resource "alicloud_ram_role_policy_attachment" "palisade" {
  role_name   = alicloud_ram_role.palisade.role_name
  policy_name = alicloud_ram_policy.palisade.policy_name
  policy_type = "Custom"
}
`;

export const alicloudCommands = ({ permissions, externalId }: TemplateFacts): string => `
# TRUSTED_PRINCIPAL: the identity that Palisade has in Alibaba Cloud (acs:ram::NUMBER:root); its operator tells it
set -eu
aliyun ram CreateRole --RoleName ${ROLE} --MaxSessionDuration 3600 --AssumeRolePolicyDocument "$(cat <<EOF
${JSON.stringify(trust(externalId))}
EOF
)"
aliyun ram CreatePolicy --PolicyName ${ROLE} --PolicyDocument '${JSON.stringify(policy(permissions))}'
aliyun ram AttachPolicyToRole --PolicyType Custom --PolicyName ${ROLE} --RoleName ${ROLE}
`;
