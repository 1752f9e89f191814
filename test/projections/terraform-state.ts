export type Attributes = Readonly<Record<string, unknown>>;

/** A Terraform state of AWS resources of one type, named by their `id`. */
export const stateOf = (type: string, resources: readonly Attributes[]) => ({
  version: 4,
  terraform_version: '1.9.0',
  serial: 1,
  lineage: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  resources: resources.map((attributes) => ({
    mode: 'managed',
    type,
    name: String(attributes['id']),
    provider: 'provider["registry.terraform.io/hashicorp/aws"]',
    instances: [{ attributes: { arn: `arn:aws:kms:eu-west-1:111122223333:key/${String(attributes['id'])}`, ...attributes } }],
  })),
});
