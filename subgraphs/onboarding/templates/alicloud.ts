import type { TemplateFacts } from './facts.js';
import { hclList } from './hcl-list.js';

const USER = 'palisade-read';

const policy = (permissions: readonly string[]) => ({
  Version: '1',
  Statement: [{ Effect: 'Allow', Resource: ['*'], Action: permissions }],
});

/** A user that signs in nowhere. Its AccessKey is made by hand: Terraform would keep the secret in its state. */
export const alicloudTerraform = ({ permissions }: TemplateFacts): string => `
resource "alicloud_ram_user" "palisade" {
  name     = "${USER}"
  comments = "Reads configurations for Palisade."
}

resource "alicloud_ram_policy" "palisade" {
  policy_name     = "${USER}"
  policy_document = jsonencode({
    Version   = "1"
    Statement = [{
      Effect   = "Allow"
      Resource = ["*"]
      Action   = ${hclList(permissions, 6)}
    }]
  })
}

resource "alicloud_ram_user_policy_attachment" "palisade" {
  user_name   = alicloud_ram_user.palisade.name
  policy_name = alicloud_ram_policy.palisade.policy_name
  policy_type = "Custom"
}
`;

export const alicloudCommands = ({ permissions }: TemplateFacts): string => `
set -eu
aliyun ram CreateUser --UserName ${USER} --Comments "Reads configurations for Palisade."
aliyun ram CreatePolicy --PolicyName ${USER} --PolicyDocument '${JSON.stringify(policy(permissions))}'
aliyun ram AttachPolicyToUser --PolicyType Custom --PolicyName ${USER} --UserName ${USER}
`;
