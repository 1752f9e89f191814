import type { Provider } from '../../schema/model.js';
import type { ImportOptions } from '../types.js';
import { terraformType } from './cloud.js';
import { isClusterKind, kubernetesType, kubernetesUid } from './kubernetes-names.js';
import type { PlaceDraft } from './observation.js';

/** A resource as a scanner of infrastructure code names it. */
export interface DeclaredResource {
  /** `module.web.aws_lb.main[0]`, `AWS::S3::Bucket.Logs`, `Deployment.default.web`. */
  address?: string | undefined;
  /** The code that declares it, as the scanner calls it: `terraform`, `cloudformation`, `kubernetes`, `arm`. */
  language?: string | undefined;
}

/** Prefixes of Terraform's types -> the provider of the resource. */
const PREFIXES: Readonly<Record<string, Provider>> = {
  aws: 'aws',
  awscc: 'aws',
  azurerm: 'azure',
  azuread: 'azure',
  azapi: 'azure',
  google: 'gcp',
  oci: 'oci',
  alicloud: 'alicloud',
  ibm: 'ibm',
  kubernetes: 'k8s',
  helm: 'k8s',
};
const TERRAFORM = /^((?:module\.[\w-]+(?:\[[^\]]*\])?[.:])*)(?:data\.)?([a-z][a-z0-9]*)_([a-z0-9_]+)\.([\w-]+(?:\[[^\]]*\])?)$/;
const MODULE = /^module\.[\w.-]+(?:\[[^\]]*\])?$/;

/**
 * The resource that an address of infrastructure code names, by the uid that an import of the same plan or manifest gives it, so that
 * findings meet their asset. Undefined for what is no resource of its own: a Dockerfile, a workflow, a provider's settings.
 */
export function declaredResource(
  { address, language = '' }: DeclaredResource,
  options: ImportOptions,
): Pick<PlaceDraft, 'resource_uid' | 'resource_type' | 'resource_name' | 'provider'> | undefined {
  if (address === undefined) return undefined;
  const uid = (prefix: string): string => {
    const scope = [options.account_id, options.artifact].filter(Boolean).join('/');
    return `${prefix}:${scope === '' ? '' : `${scope}/`}${address.replaceAll(':', prefix === 'terraform' ? '.' : ':')}`;
  };
  const terraform = TERRAFORM.exec(address);
  const provider = PREFIXES[terraform?.[2] ?? ''];
  if (terraform !== null && provider !== undefined)
    return {
      resource_uid: uid('terraform'),
      resource_type: `${terraform[2]}_${terraform[3]}`,
      resource_name: address.replaceAll(':', '.'),
      provider,
    };
  if (MODULE.test(address) && /terraform/i.test(language)) return undefined;
  const cloudFormation = /^(AWS|Alexa)::(\w+)::(\w+)\.(.+)$/.exec(address);
  if (cloudFormation !== null)
    return {
      resource_uid: uid('cloudformation'),
      resource_type: terraformType('aws', address.slice(0, address.indexOf('.'))),
      resource_name: cloudFormation[4] as string,
      provider: 'aws',
    };
  const azure = /^(Microsoft\.\w+(?:\/\w+)+)[.@]?(.*)$/.exec(address);
  if (azure !== null)
    return {
      resource_uid: uid(/bicep/i.test(language) ? 'bicep' : 'arm'),
      resource_type: terraformType('azure', azure[1] as string),
      resource_name: azure[2] === '' ? address : (azure[2] as string),
      provider: 'azure',
    };
  return /kubernetes|helm|kustomize|k8s/i.test(language) ? kubernetesResource(address, options) : undefined;
}

/** `<Kind>.<namespace>.<name>`, and a container's or a path's name behind it. */
function kubernetesResource(address: string, options: ImportOptions) {
  const [, kind, namespace, name] = /^([A-Z]\w+)\.([\w-]+)\.([\w.-]+?)(?:\.\(.*\)|\s.*)?$/.exec(address) ?? [];
  if (kind === undefined || namespace === undefined || name === undefined) return undefined;
  return {
    resource_uid: kubernetesUid(kind, isClusterKind(kind) ? '' : namespace, name, options),
    resource_type: kubernetesType(kind),
    resource_name: name,
    provider: 'k8s',
  } as const;
}
