import type { Provider } from '../../../schema/model.js';
import { terraformType, toProvider } from '../../normalize/cloud.js';
import { clusterFields } from '../../normalize/cluster-object.js';
import { objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import { kubernetesType, kubernetesUid } from '../../normalize/kubernetes-names.js';
import { inferProvider, type PlaceDraft } from '../../normalize/observation.js';
import type { TrivyContext, TrivyKind, TrivyRecordPlace, TrivyResult, TrivyWorkload } from './context.js';
import type { ImportOptions } from '../../types.js';

const ARTIFACT_TYPES: Readonly<Record<string, string>> = {
  container_image: 'container_image',
  vm: 'host',
  rootfs: 'host',
  aws_account: 'aws_account',
};

/**
 * The resource of a record: the image for what lies in one (also in a cluster's workload), the Kubernetes object for its
 * misconfigurations, the Terraform address for those of infrastructure code, else the scanned directory or repository. An
 * image is named as it was scanned, so that a new build of the same tag keeps its findings; digests stand in the metadata.
 */
export function trivyResource(
  kind: TrivyKind,
  record: JsonObject,
  result: TrivyResult,
  workload: TrivyWorkload | undefined,
  context: TrivyContext,
  options: ImportOptions,
): PlaceDraft {
  if (workload !== undefined)
    return kind === 'Misconfigurations'
      ? kubernetesObject(workload, result, context, options)
      : workloadImage(workload, result, context, options);
  const name = artifactName(context, options, result);
  const isImage = context.artifactType === 'container_image' || (context.artifactType === undefined && context.image?.id !== undefined);
  const type = isImage
    ? 'container_image'
    : (ARTIFACT_TYPES[context.artifactType ?? ''] ??
      (context.artifactType === undefined && result.class === undefined && kind === 'Vulnerabilities'
        ? 'container_image'
        : 'code_repository'));
  const base = {
    resource_uid: name,
    resource_type: type,
    resource_name: kind === 'Misconfigurations' || kind === 'Secrets' ? (result.target ?? name) : name,
    ...inferProvider(isImage ? name : undefined, options),
    account_id: options.account_id,
    region: options.region,
    artifact: name,
  };
  const metadata = {
    ...base.provider_metadata,
    image_id: context.image?.id,
    image_digests: context.image?.digests,
    image_tags: context.image?.tags,
    os: context.image?.os,
  };
  const declared = kind === 'Misconfigurations' ? declaredResource(record, result) : undefined;
  if (declared === undefined) return { ...base, provider_metadata: metadata };
  return { ...base, ...declared, resource_uid: `${name}#${declared.resource_name}`, provider_metadata: {} };
}

/** Records of one result lie in one resource, except misconfigurations, which may name their own. */
export function trivyRecordResource(
  record: JsonObject,
  { kind, result, workload }: TrivyRecordPlace,
  context: TrivyContext,
  options: ImportOptions,
): PlaceDraft {
  if (kind === 'Misconfigurations') return trivyResource(kind, record, result, workload, context, options);
  result.places ??= {};
  return (result.places[kind] ??= trivyResource(kind, record, result, workload, context, options));
}

/** The resource that infrastructure code declares: Terraform's address, else nothing better than the file. */
function declaredResource(
  record: JsonObject,
  result: TrivyResult,
): { resource_type: string; resource_name: string; provider: Provider } | undefined {
  const cause = objectAt(record, 'CauseMetadata');
  const address = textAt(cause, 'Resource');
  const provider = toProvider(textAt(cause, 'Provider'));
  if (address === undefined || provider === undefined || provider === 'k8s' || !/terraform|cloudformation|arm/.test(result.type ?? ''))
    return undefined;
  const type = /(?:^|\.)((?:aws|azurerm|google|oci|alicloud|ibm)_[a-z0-9_]+)\.[^.]+$/.exec(address)?.[1];
  return { resource_type: type ?? terraformType(provider, textAt(cause, 'Service') ?? 'resource'), resource_name: address, provider };
}

function artifactName(context: TrivyContext, options: ImportOptions, result: TrivyResult): string {
  const named = context.artifactName !== undefined && !/^[./\\]*$/.test(context.artifactName) ? context.artifactName : undefined;
  if (context.artifactType === 'container_image' && named !== undefined) return named;
  return options.artifact ?? named?.replace(/^(https?:\/\/)[^/@]*@/, '$1') ?? imageTarget(result.target) ?? 'code';
}

/** `redis:6.0.5 (debian 10.4)` is the image `redis:6.0.5`. */
function imageTarget(target: string | undefined): string | undefined {
  return /^(.+?)\s\([^)]*\)$/.exec(target ?? '')?.[1];
}

function workloadImage(workload: TrivyWorkload, result: TrivyResult, context: TrivyContext, options: ImportOptions): PlaceDraft {
  const { image } = workload;
  const name = imageTarget(result.target) ?? image?.tags[0] ?? image?.digests[0] ?? imageTarget(workload.target) ?? image?.id;
  if (name === undefined) return kubernetesObject(workload, result, context, options);
  const { provider, provider_metadata } = inferProvider(name, options);
  return {
    resource_uid: name,
    resource_type: 'container_image',
    resource_name: name,
    provider,
    account_id: clusterFields(context.cluster, options).account_id,
    region: options.region,
    artifact: name,
    provider_metadata: {
      ...provider_metadata,
      ...clusterMetadata(workload, context),
      image_id: image?.id,
      image_digests: image?.digests,
      os: image?.os,
    },
  };
}

function kubernetesObject(workload: TrivyWorkload, result: TrivyResult, context: TrivyContext, options: ImportOptions): PlaceDraft {
  const [targetKind, ...targetName] = (result.target ?? '').split('/');
  const kind = workload.kind ?? targetKind ?? 'resource';
  const name = workload.name ?? (targetName.join('/') || 'unnamed');
  const { cluster, account_id, region } = clusterFields(context.cluster, options);
  return {
    // As the importer of manifests names it, so that findings meet their asset.
    resource_uid: kubernetesUid(kind, workload.namespace ?? '', name, { account_id: options.account_id, artifact: cluster }),
    resource_type: kubernetesType(kind),
    resource_name: name,
    provider: 'k8s',
    account_id,
    region,
    artifact: cluster,
    provider_metadata: clusterMetadata(workload, context),
  };
}

function clusterMetadata(workload: TrivyWorkload, context: TrivyContext): Record<string, unknown> {
  return { cluster: context.cluster, namespace: workload.namespace, workload_kind: workload.kind, workload_name: workload.name };
}
