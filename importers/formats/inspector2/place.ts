import { parseCloudName } from '../../normalize/cloud.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { BrokenRecord, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

const TYPES: Readonly<Record<string, string>> = {
  AWS_EC2_INSTANCE: 'aws_instance',
  AWS_ECR_CONTAINER_IMAGE: 'container_image',
  AWS_ECR_REPOSITORY: 'aws_ecr_repository',
  AWS_LAMBDA_FUNCTION: 'aws_lambda_function',
  CODE_REPOSITORY: 'code_repository',
};

/** The resource of a finding, by the name that an import of the account gives it: a function without the version that was looked at. */
export function inspectorPlace(resource: JsonObject, finding: JsonObject, options: ImportOptions): PlaceDraft {
  const id = textAt(resource, 'id');
  if (id === undefined) throw new BrokenRecord('resources[].id is missing');
  const type = textAt(resource, 'type') ?? '';
  const region = textAt(resource, 'region') ?? textAt(finding, 'findingArn')?.split(':')[3];
  const account = textAt(finding, 'awsAccountId') ?? options.account_id;
  const partition = textAt(resource, 'partition') ?? 'aws';
  const uid =
    type === 'AWS_EC2_INSTANCE' && /^i-[0-9a-f]+$/.test(id)
      ? `arn:${partition}:ec2:${region ?? ''}:${account ?? ''}:instance/${id}`
      : type === 'AWS_LAMBDA_FUNCTION'
        ? id.replace(/^(arn:[^:]*:lambda:[^:]*:[^:]*:function:[^:]+):.+$/, '$1')
        : id;
  const named = parseCloudName(uid);
  const details = objectAt(resource, 'details');
  const [instance, image, lambda] = ['awsEc2Instance', 'awsEcrContainerImage', 'awsLambdaFunction'].map((key) => objectAt(details, key));
  return {
    resource_uid: uid,
    resource_type: TYPES[type] ?? named?.resource_type ?? 'aws_resource',
    resource_name:
      textAt(lambda, 'functionName') ??
      textAt(image, 'repositoryName') ??
      textAt(objectAt(resource, 'tags'), 'Name') ??
      named?.resource_name ??
      id,
    provider: 'aws',
    account_id: account ?? named?.account_id,
    region: region ?? named?.region,
    service: named?.service,
    provider_metadata: {
      image_tags: textsAt(image, 'imageTags'),
      image_digests: textsAt(image, 'imageHash'),
      platform: textAt(instance, 'platform') ?? textAt(image, 'platform') ?? textAt(lambda, 'runtime'),
      instance_type: textAt(instance, 'type'),
      architecture: textAt(image, 'architecture'),
    },
  };
}
