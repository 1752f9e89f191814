import type { TemplateFacts } from './facts.js';
import { hclList } from './hcl-list.js';

const name = (service: string): string => service.replaceAll('-', '_');

export const ibmTerraform = ({ services }: TemplateFacts): string => `
resource "ibm_iam_service_id" "palisade" {
  name        = "palisade-read"
  description = "Reads configurations for Palisade."
}
${services
  .map(
    ({ service, permissions }) => `
resource "ibm_iam_service_policy" "${name(service)}" {
  iam_service_id = ibm_iam_service_id.palisade.id
  roles          = ${hclList(permissions, 2)}
  resources {
    service = "${service}"
  }
}
`,
  )
  .join('')}`;

export const ibmCommands = ({ services }: TemplateFacts): string => `
set -eu
ibmcloud iam service-id-create palisade-read --description "Reads configurations for Palisade."
${services
  .map(
    ({ service, permissions }) =>
      `ibmcloud iam service-policy-create palisade-read --roles ${permissions.join(',')} --service-name ${service}`,
  )
  .join('\n')}
ibmcloud iam service-api-key-create palisade palisade-read --description "Reads configurations for Palisade."
`;
