import type { TemplateFacts } from './facts.js';
import { hclList } from './hcl-list.js';

const ROLE = 'palisade-read';

/** A stack with the one role, whose trust names the external id. */
export function awsCloudFormation({ permissions, externalId, principal }: TemplateFacts): string {
  const template = {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: 'A role by which Palisade reads configurations, and nothing that is stored.',
    Parameters: {
      TrustedPrincipal: {
        Type: 'String',
        Description: 'ARN of the identity that Palisade has in AWS; its operator tells it.',
        AllowedPattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:.+$',
        ...(principal && { Default: principal }),
      },
    },
    Resources: {
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          RoleName: ROLE,
          MaxSessionDuration: 3_600,
          AssumeRolePolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Principal: { AWS: { Ref: 'TrustedPrincipal' } },
                Action: 'sts:AssumeRole',
                Condition: { StringEquals: { 'sts:ExternalId': externalId } },
              },
            ],
          },
          Policies: [
            {
              PolicyName: ROLE,
              PolicyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: permissions, Resource: '*' }] },
            },
          ],
        },
      },
    },
    Outputs: { RoleArn: { Description: 'Connect the account by this.', Value: { 'Fn::GetAtt': ['Role', 'Arn'] } } },
  };
  return JSON.stringify(template, null, 2);
}

export const awsTerraform = ({ permissions, externalId, principal }: TemplateFacts): string => `
variable "trusted_principal" {
  type        = string
  description = "ARN of the identity that Palisade has in AWS; its operator tells it."${principal ? `\n  default     = ${JSON.stringify(principal)}` : ''}
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "AWS"
      identifiers = [var.trusted_principal]
    }
    condition {
      test     = "StringEquals"
      variable = "sts:ExternalId"
      values   = [${JSON.stringify(externalId)}]
    }
  }
}

data "aws_iam_policy_document" "read" {
  statement {
    actions   = ${hclList(permissions, 4)}
    resources = ["*"]
  }
}

resource "aws_iam_role" "palisade" {
  name                 = "${ROLE}"
  max_session_duration = 3600
  assume_role_policy   = data.aws_iam_policy_document.trust.json
}

resource "aws_iam_role_policy" "palisade" {
  name   = "${ROLE}"
  role   = aws_iam_role.palisade.id
  policy = data.aws_iam_policy_document.read.json
}

output "role_arn" {
  value = aws_iam_role.palisade.arn
}
`;
