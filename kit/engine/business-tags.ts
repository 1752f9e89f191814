/** The parts of a resource's business context. */
export const BUSINESS_PARTS = ['owner', 'environment', 'criticality', 'data_classes'] as const;
export type BusinessPart = (typeof BUSINESS_PARTS)[number];

/** For each part the tags that tell it, the first that a resource has counting; their names in any case. */
export type BusinessTags = Readonly<Record<BusinessPart, readonly string[]>>;

/** The job that brings stored resources to a tenant's tags; a change of the tags asks for it. */
export const RECLASSIFY = 'inventory.reclassify';

/** The tags that tell it where the tenant has set none. */
export const USUAL_TAGS: BusinessTags = {
  owner: ['owner', 'team', 'contact'],
  environment: ['environment', 'env', 'stage'],
  criticality: ['criticality', 'business-criticality', 'priority'],
  data_classes: ['data-classification', 'data_classification', 'data-class', 'dataclassification'],
};
