import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, flag, list, nullable, number, object, optional, text, textOf } from '../../kit/store/fields.js';
import type { EdgeKind, ExposureLevel, Provider } from '../../schema/model.js';
import type { AssetFacts } from '../../schema/facts.js';
import { READERS } from '../../kit/findings/readers.js';
import type { Access } from './access/records.js';
import type { Criticality, Environment, SetContext } from './business/context.js';
import { RESOURCE_FIELDS } from '../../kit/engine/resource-fields.js';
import type { OpenByEngine, RiskColumns } from './risk/columns.js';
import { digestOf } from '../../kit/store/row-id.js';

const ASSET_FIELDS = {
  ...RESOURCE_FIELDS,
  tags: object<Record<string, string>>(),
  /** What the inventory says; null for what only findings name. */
  configuration: nullable(object<Record<string, unknown>>()),
  sensitive_paths: list(text),
  unknown_paths: list(text),
  /** Of what the inventory says; rows of earlier releases, and those that only findings name, lack it. */
  description_digest: optional(text),
  source: nullable(object<{ format: string; address: string; file?: string; line?: number }>()),
  provider_metadata: object<Record<string, unknown>>(),
  /** What a person has set of its business context. */
  business_set: optional(nullable(object<SetContext>())),
  /** The context in force, and what lists find tags by; absent where there is nothing. */
  owner: optional(text),
  environment: optional(textOf<Environment>()),
  criticality: optional(textOf<Criticality>()),
  data_classes: optional(list(text)),
  tag_keys: optional(list(text)),
  /** What scanners have told of it beside their findings; absent where they have not. */
  facts: optional(object<AssetFacts>()),
  /** A plan alone has described it: it is to be made, and nothing has shown it yet. */
  planned: optional(flag),
  /** Its open findings, engine by engine, and what lists are ordered by: the sums of those that each role reads. */
  open_findings: optional(object<OpenByEngine>()),
  risk: optional(object<RiskColumns>()),
  /** How far the internet reaches it; absent where that is not known. */
  exposure: optional(textOf<ExposureLevel>()),
  /**
   * The names by which references find it, those by which they did before it was described anew, those by which it refers to others, and how
   * many of these mean several resources.
   */
  known_as: optional(list(text)),
  former_names: optional(list(text)),
  wants: optional(list(text)),
  ambiguous_links: optional(number),
  /** Its references are to be resolved, and with `all` those of whatever refers to it. */
  links_due: optional(textOf<'own' | 'all'>()),
  /** Its exposure or criticality has changed, and its findings are to be scored anew; another text with every change. */
  rescore_due: optional(text),
  scan_run_id: text,
  /** The run that saw it first; rows of earlier releases lack it. */
  discovered_in: optional(text),
  first_seen_at: date,
  last_seen_at: date,
  /** When what describes it was observed; an older description changes nothing. */
  observed_at: optional(date),
  /**
   * What was told as a whole when it was described: a state, or a part of an account (`partOfEstate`). A later telling of the same without it means
   * that it is gone.
   */
  estate: optional(text),
  /** When a view of the inventory first had it without an import; written so that such a refresh and an import of it meet. */
  projected_at: optional(date),
} as const;

/** A resource of the inventory. `_id` is a digest of tenant and resource_uid, which may be longer than a key should be. */
const assetRows = defineCollection('assets', ASSET_FIELDS, [
  { key: { tenant_id: 1, estate: 1, scan_run_id: 1 }, options: { partialFilterExpression: { estate: { $exists: true } } } },
  { key: { tenant_id: 1, resource_uid: 1 } },
  { key: { tenant_id: 1, resource_type: 1, resource_uid: 1 } },
  { key: { tenant_id: 1, account_id: 1, resource_uid: 1 } },
  { key: { tenant_id: 1, provider: 1, resource_uid: 1 } },
  { key: { tenant_id: 1, region: 1, resource_uid: 1 } },
  { key: { tenant_id: 1, scan_run_id: 1, resource_uid: 1 } },
  {
    key: { tenant_id: 1, discovered_in: 1, resource_uid: 1 },
    options: { partialFilterExpression: { discovered_in: { $exists: true } } },
  },
  { key: { tenant_id: 1, last_seen_at: 1, resource_uid: 1 } },
  ...READERS.flatMap((reader) => [
    { key: { tenant_id: 1, [`risk.${reader}.max`]: 1, [`risk.${reader}.sum`]: 1, resource_uid: 1 } as const },
    { key: { tenant_id: 1, [`risk.${reader}.open`]: 1, resource_uid: 1 } as const },
  ]),
  { key: { tenant_id: 1, known_as: 1 }, options: { partialFilterExpression: { known_as: { $exists: true } } } },
  { key: { tenant_id: 1, wants: 1 }, options: { partialFilterExpression: { wants: { $exists: true } } } },
  { key: { tenant_id: 1, rescore_due: 1 }, options: { partialFilterExpression: { rescore_due: { $exists: true } } } },
  { key: { tenant_id: 1, links_due: 1 }, options: { partialFilterExpression: { links_due: { $exists: true } } } },
  ...(['owner', 'environment', 'criticality', 'data_classes', 'tag_keys', 'exposure'] as const).map((column) => ({
    key: { tenant_id: 1, [column]: 1, resource_uid: 1 } as const,
    options: { partialFilterExpression: { [column]: { $exists: true } } },
  })),
]);
export const assets: typeof assetRows = { ...assetRows, formerIndexes: ['tenant_id_1_last_seen_at_1'] };
export type AssetRow = RowOf<typeof assets>;

/** A resource that is no more, as it was last; `_id` is that of its row among the assets, where it comes back to when it is seen again. */
export const goneAssets = defineCollection('gone_assets', { ...ASSET_FIELDS, gone_at: date, gone_in: text, gone_observed_at: date }, [
  { key: { tenant_id: 1, resource_uid: 1 } },
  { key: { tenant_id: 1, gone_at: 1 } },
  ...(['account_id', 'resource_type', 'discovered_in', 'scan_run_id'] as const).map((column) => ({
    key: { tenant_id: 1, [column]: 1, resource_uid: 1 } as const,
  })),
]);
export type GoneAssetRow = RowOf<typeof goneAssets>;

/** An edge between two resources. */
const edgeRows = defineCollection(
  'asset_edges',
  {
    from: text,
    to: text,
    kind: textOf<EdgeKind>(),
    /** The attribute that tells it. */
    via: optional(text),
    /** The asset by whose attributes it was resolved, and with which it changes and goes. Others were told by a report: */
    owner: optional(text),
    scan_run_id: optional(text),
    last_seen_at: optional(date),
    /** Of one that policies and bindings come to: what it says, the accounts that it touches, and a digest of all of this. */
    access: optional(object<Access>()),
    access_in: optional(list(text)),
    access_digest: optional(text),
    /** The provider where it tells who has every right, or may come to more than was given. */
    rises: optional(textOf<Provider>()),
  },
  [
    { key: { tenant_id: 1, access_in: 1 }, options: { partialFilterExpression: { access_in: { $exists: true } } } },
    { key: { tenant_id: 1, rises: 1, _id: 1 }, options: { partialFilterExpression: { rises: { $exists: true } } } },
    { key: { tenant_id: 1, from: 1, kind: 1 } },
    { key: { tenant_id: 1, to: 1, kind: 1 } },
    { key: { tenant_id: 1, last_seen_at: 1 } },
    { key: { tenant_id: 1, owner: 1 }, options: { partialFilterExpression: { owner: { $exists: true } } } },
  ],
);
export const edges: typeof edgeRows = { ...edgeRows, formerIndexes: ['tenant_id_1_from_1', 'tenant_id_1_to_1'] };
export type EdgeRow = RowOf<typeof edges>;

const digest = (...parts: string[]): string => digestOf(parts);

export const assetRowId = (tenantId: string, resourceUid: string): string => digest(tenantId, resourceUid);
export const edgeRowId = (tenantId: string, from: string, to: string, kind: EdgeKind): string => digest(tenantId, from, to, kind);
export const linkRowId = (tenantId: string, from: string, to: string, kind: EdgeKind, owner: string): string =>
  digest(tenantId, from, to, kind, owner);
export const accessRowId = (tenantId: string, from: string, to: string, kind: EdgeKind, privilege: string | null): string =>
  digest(tenantId, from, to, kind, privilege ?? '', 'access');
