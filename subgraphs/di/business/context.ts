import { CRITICALITIES, ENVIRONMENTS, type Criticality, type Environment } from '../../../schema/model.js';
import type { BusinessPart, BusinessTags } from '../../../kit/engine/business-tags.js';

export { CRITICALITIES, ENVIRONMENTS, type Criticality, type Environment };

/** What a resource is for, as the business sees it. */
export interface BusinessContext {
  readonly owner: string | null;
  readonly environment: Environment | null;
  readonly criticality: Criticality | null;
  /** Kinds of data that it holds, in lower case: `pii`, `payment`. */
  readonly data_classes: readonly string[];
}

/** What a person has set of it, and who and when; what is null or empty is as the tags tell. */
export interface SetContext extends BusinessContext {
  readonly set_by: string;
  readonly set_at: Date;
}

/** What people write for an environment. */
const ENVIRONMENT_WORDS: Readonly<Record<Environment, readonly string[]>> = {
  production: ['production', 'prod', 'prd', 'live'],
  staging: ['staging', 'stage', 'stg', 'preprod', 'pre-production', 'uat'],
  development: ['development', 'develop', 'dev', 'sandbox'],
  test: ['test', 'testing', 'tst', 'qa', 'ci'],
};
const ENVIRONMENT_OF = new Map(ENVIRONMENTS.flatMap((name) => ENVIRONMENT_WORDS[name].map((word) => [word, name] as const)));

const MOST_CLASSES = 20;
const LONGEST_CLASS = 50;
const LONGEST_OWNER = 200;

/** Classes of data as they are kept: in lower case, each once, in order; what is too long for one is left out. */
export const dataClasses = (names: readonly string[]): string[] =>
  [...new Set(names.map((name) => name.trim().toLowerCase()))]
    .filter((name) => name !== '' && name.length <= LONGEST_CLASS)
    .sort()
    .slice(0, MOST_CLASSES);

/** What the tags of a resource tell. Words that mean nothing here are left out, never guessed at. */
export function contextOfTags(tags: Readonly<Record<string, unknown>>, mapping: BusinessTags): BusinessContext {
  const byName = new Map(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]));
  const told = (part: BusinessPart): string => {
    const value = mapping[part].map((name) => byName.get(name.toLowerCase())).find((one) => typeof one === 'string' && one.trim() !== '');
    return typeof value === 'string' ? value.trim() : '';
  };
  const criticality = told('criticality').toLowerCase();
  return {
    owner: told('owner').slice(0, LONGEST_OWNER).toWellFormed() || null,
    environment: ENVIRONMENT_OF.get(told('environment').toLowerCase()) ?? null,
    criticality: CRITICALITIES.find((one) => one === criticality) ?? null,
    data_classes: dataClasses(told('data_classes').split(/[\s,;/|+]+/)),
  };
}

/**
 * The context in force: what a person has set, part by part, and what tags tell of the rest.
 * @param found classes of data that scanners have found, which come to those of the tags
 */
export const effectiveContext = (
  set: Partial<BusinessContext> | null | undefined,
  tags: BusinessContext,
  found: readonly string[],
): BusinessContext => ({
  owner: set?.owner ?? tags.owner,
  environment: set?.environment ?? tags.environment,
  criticality: set?.criticality ?? tags.criticality,
  data_classes: set?.data_classes && set.data_classes.length > 0 ? set.data_classes : dataClasses([...tags.data_classes, ...found]),
});

/** The columns of an asset that hold its context. */
export type ContextColumns = { readonly [Part in keyof BusinessContext]?: NonNullable<BusinessContext[Part]> };

/** What writes its context into an asset: columns of nothing are absent, so that their indexes are small. */
export function contextColumns(context: BusinessContext): { $set: ContextColumns; $unset: Record<string, ''> } {
  const isTold = ([, value]: [string, unknown]) => (Array.isArray(value) ? value.length > 0 : value !== null);
  const columns = Object.entries(context);
  return {
    $set: Object.fromEntries(columns.filter(isTold)),
    $unset: Object.fromEntries(columns.filter((column) => !isTold(column)).map(([name]) => [name, '' as const])),
  };
}
