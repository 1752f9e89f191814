/** Small inventories in the real formats, made to measure for tests. */

type Attributes = Record<string, unknown>;

interface PlanMarks {
  /** Attributes that are known after the plan is applied only: address -> attribute -> true. */
  unknown?: Record<string, Attributes>;
  /** Attributes that the source marks sensitive: address -> attribute -> true. */
  sensitive?: Record<string, Attributes>;
  /** What attributes refer to in the source code: address -> attribute -> address. */
  references?: Record<string, Record<string, string>>;
  /** Entries of `resource_changes` as they are. */
  more?: object[];
}

/** `terraform show -json` of a plan that makes these resources: address -> attributes. */
export function plan(
  resources: Record<string, Attributes>,
  { unknown = {}, sensitive = {}, references = {}, more = [] }: PlanMarks = {},
): Record<string, unknown> {
  const changes = Object.entries(resources).map(([address, after]) => {
    const [type = '', name = ''] = address.split('.');
    const exists = typeof after['arn'] === 'string';
    return {
      address,
      mode: 'managed',
      type,
      name,
      provider_name: 'registry.terraform.io/hashicorp/aws',
      change: {
        actions: [exists ? 'update' : 'create'],
        before: exists ? { arn: after['arn'] } : null,
        after,
        after_unknown: { ...(!exists && { id: true }), ...unknown[address] },
        after_sensitive: sensitive[address] ?? {},
      },
    };
  });
  const sources = Object.entries(references).map(([address, attributes]) => ({
    address,
    expressions: Object.fromEntries(Object.entries(attributes).map(([name, to]) => [name, { references: [`${to}.id`, to] }])),
  }));
  return {
    format_version: '1.2',
    terraform_version: '1.9.0',
    planned_values: { root_module: {} },
    resource_changes: [...changes, ...more],
    configuration: { root_module: { resources: sources } },
  };
}

/** An entry of `resource_changes` that no reader can take in. */
export const brokenChange = { address: 'aws_sqs_queue.broken', mode: 'managed', type: 'aws_sqs_queue', name: 'broken' };

/** The uid of a resource that is only planned. @param scope the account and the artifact that the import named: `account/artifact` */
export const planned = (address: string, scope = ''): string => `terraform:${scope === '' ? '' : `${scope}/`}${address}`;

/** A pod with one container. */
export const pod = (name: string, securityContext: Attributes): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'app', image: 'registry.example/shop@sha256:0f0f', securityContext }] },
});
