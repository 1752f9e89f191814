import type { Provider } from '../../../schema/model.js';
import { alicloudCommands, alicloudTerraform } from './alicloud.js';
import { awsCloudFormation, awsTerraform } from './aws.js';
import { azureCommands, azureTerraform } from './azure.js';
import type { TemplateFacts } from './facts.js';
import { gcpCommands, gcpTerraform } from './gcp.js';
import { ibmCommands, ibmTerraform } from './ibm.js';
import { k8sCommands, k8sTerraform } from './k8s.js';
import { ociCommands, ociTerraform } from './oci.js';

/** One form of a provider's template. */
interface Form {
  readonly filename: string;
  readonly write: (facts: TemplateFacts) => string;
}
type Forms = Readonly<Partial<Record<'cloudformation' | 'terraform' | 'cli', Form>>> & { readonly steps: readonly string[] };

const terraform = (write: Form['write']): Form => ({ filename: 'palisade.tf', write });
const commands = (write: Form['write']): Form => ({ filename: 'palisade.sh', write });

/** The forms of each provider's template, and what to do with them. */
export const FORMS: Readonly<Record<Provider, Forms>> = {
  aws: {
    cloudformation: { filename: 'palisade.json', write: awsCloudFormation },
    terraform: terraform(awsTerraform),
    steps: [
      'Deploy one of the templates in the account that is to be scanned.',
      'Connect the account by the ARN of the role that it has made.',
      'Validate the connection.',
    ],
  },
  azure: {
    terraform: terraform(azureTerraform),
    cli: commands(azureCommands),
    steps: [
      'Apply one of the templates with the id of the subscription and of the application that is to read.',
      'Connect the subscription by a secret of the application.',
    ],
  },
  gcp: {
    terraform: terraform(gcpTerraform),
    cli: commands(gcpCommands),
    steps: ['Apply one of the templates in the project.', 'Connect the project by a key of the service account.'],
  },
  oci: {
    terraform: terraform(ociTerraform),
    cli: commands(ociCommands),
    steps: ['Apply one of the templates in the tenancy.', 'Add an API key to the user, and connect the tenancy by it.'],
  },
  alicloud: {
    terraform: terraform(alicloudTerraform),
    cli: commands(alicloudCommands),
    steps: [
      'Apply one of the templates in the account.',
      'Make an AccessKey of the user that it has made (aliyun ram CreateAccessKey --UserName palisade-read).',
      'Connect the account by the AccessKey.',
    ],
  },
  ibm: {
    terraform: terraform(ibmTerraform),
    cli: commands(ibmCommands),
    steps: ['Apply one of the templates in the account.', 'Connect the account by an API key of the service id.'],
  },
  k8s: {
    terraform: terraform(k8sTerraform),
    cli: commands(k8sCommands),
    steps: [
      'Apply one of the templates to the cluster.',
      'Connect the cluster by the token of the service account and the certificate of its API server.',
    ],
  },
};
