import { redactText } from '../../redaction/redact.js';
import { GLOBAL_REGION } from '../../schema/model.js';
import type { ImportItem } from '../types.js';
import { safeId, type PlaceDraft } from './observation.js';

/** What a scanner that has looked into an image of a container says of it; what it does not say is undefined. */
export interface ImageFacts {
  /** The digests that registries know it by: `ghcr.io/shop/cart@sha256:...`. */
  readonly digests?: readonly string[] | undefined;
  /** The operating system in it, name and version. */
  readonly system?: string | undefined;
  /** Packages that were found in it. */
  readonly packages?: number | undefined;
  /** When it was built, as the image says. */
  readonly made_at?: string | undefined;
  /** Its labels; those of the Open Containers Initiative tell its base and where its source stands. */
  readonly labels?: Readonly<Record<string, unknown>> | undefined;
}

const BASE = 'org.opencontainers.image.base.name';
const SOURCE = 'org.opencontainers.image.source';
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? redactText(value) : undefined);

/**
 * The asset of an image that was scanned, and the edge to the code that it was built from where its labels name that.
 * @param place the image as its findings name it
 * @param format the format of the report
 * @see https://github.com/opencontainers/image-spec/blob/main/annotations.md
 */
export function* imageItems(place: PlaceDraft, facts: ImageFacts, format: string): Generator<ImportItem> {
  const { resource_uid: named, resource_type, resource_name, provider, account_id, region } = place;
  const resource_uid = safeId(named);
  const { system, packages, made_at } = facts;
  const digests = [...(facts.digests ?? [])].sort();
  const base = text(facts.labels?.[BASE]);
  const configuration = {
    ...(digests.length > 0 && { digests }),
    ...(base !== undefined && { base }),
    ...(system !== undefined && system !== '' && { system }),
    ...(packages !== undefined && packages > 0 && { packages }),
    ...(made_at !== undefined && !/^(?:0001|1970)-/.test(made_at) && { made_at }),
  };
  yield {
    kind: 'asset',
    asset: {
      ...{ resource_uid, resource_type, resource_name: resource_name ?? resource_uid, provider, account_id },
      ...{ region: region || GLOBAL_REGION, configuration, source: { format, address: resource_uid }, position: 'the image' },
    },
  };
  const source = text(facts.labels?.[SOURCE]);
  if (source !== undefined && /^https?:\/\//.test(source))
    yield { kind: 'edge', edge: { from: resource_uid, to: source.replace(/(?:\.git)?\/?$/, ''), kind: 'built_from' } };
}
