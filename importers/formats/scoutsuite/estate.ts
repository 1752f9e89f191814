import { resourcesOf, thingOf } from '../../cloud/map.js';
import { assetsOf } from '../../cloud/read.js';
import { cloudTable } from '../../cloud/table.js';
import { isItem, type Item } from '../../cloud/item.js';
import type { TerraformInstance } from '../../terraform/asset.js';
import { parseCloudName, snakeCase } from '../../normalize/cloud.js';
import type { AssetInput, ImportItem, ImportOptions } from '../../types.js';
import { scoutRules } from './firewall.js';

/** A resource as findings name it. */
export type ScoutPlace = Pick<AssetInput, 'resource_uid' | 'resource_type' | 'resource_name' | 'provider' | 'account_id' | 'region'>;

const PROVIDERS = { aws: 'aws', azure: 'azure', gcp: 'gcp', aliyun: 'alicloud', oci: 'oci', kubernetes: 'k8s' } as const;
const isProvider = (code: string): code is keyof typeof PROVIDERS => Object.hasOwn(PROVIDERS, code);
/** Members of a service whose keys are ids; other steps of a path are names. */
const COLLECTION = /s$/;

const linesOf = (provider: string): string[] =>
  cloudTable('scout').things.flatMap(({ config }) =>
    config.filter((path) => path.startsWith(`${provider}:`)).map((path) => path.slice(provider.length + 1)),
  );

/** Where a report of a provider has resources that the table knows, as the reader takes it. */
export const resourcePaths = (provider: string): string[] => linesOf(provider).map((path) => `services.${path.replaceAll(/\bid\b/g, '*')}`);

/** The resources of a report, and how its paths name them. */
export class ScoutEstate {
  private readonly places = new Map<string, ScoutPlace>();
  private readonly lines: readonly (readonly [steps: readonly string[], kind: string])[];

  constructor(
    readonly provider: string,
    private readonly format: string,
    private readonly options: ImportOptions,
  ) {
    this.lines = linesOf(provider).map((path) => [path.split('.'), `${provider}:${path}`] as const);
  }

  /** Takes note of a resource, for findings that name it. @param at `services.s3.buckets.…` */
  note(resource: Item, at: string): void {
    const [first] = [...this.assetsOf(resource, at)];
    if (first?.kind === 'asset') this.places.set(at, first.asset);
  }

  /** The assets that a resource tells. */
  *assetsOf(resource: Item, at: string): Generator<ImportItem> {
    const steps = at.split('.').slice(1);
    const kind = this.lines.find(([line]) => matches(line, steps))?.[1];
    const thing = kind === undefined ? undefined : thingOf('scout', kind, resource);
    if (thing === undefined || kind === undefined) return;
    const keys = keysOf(steps, this.options.account_id);
    const place = {
      account: placeText(keys['projects']) ?? placeText(keys['subscriptions']) ?? this.options.account_id,
      region: placeText(keys['regions']),
    };
    const within = { item: keys, region: place.region, account: place.account };
    const instances = resourcesOf(cloudTable('scout'), thing, resource, { place, at, within, summary: true });
    for (const instance of instances) completeRules(instance, resource);
    const { region } = place;
    yield* assetsOf(instances, this.format, {
      ...this.options,
      ...(place.account === undefined ? {} : { account_id: place.account }),
      ...(region === undefined ? {} : { region }),
    });
  }

  /** The resource that an item of a finding lies in, and what of the item stands behind it. */
  placeOf(item: string): { place: ScoutPlace; rest: string } {
    const steps = item.split('.');
    for (let length = steps.length; length > 0; length -= 1) {
      const place = this.places.get(`services.${steps.slice(0, length).join('.')}`);
      if (place) return { place, rest: steps.slice(length).join('.') };
    }
    return this.unknownPlace(steps);
  }

  /** Of what the table does not know: the last thing with an id of its own in the path. */
  private unknownPlace(steps: readonly string[]): { place: ScoutPlace; rest: string } {
    const keys = keysOf(steps, this.options.account_id);
    const at = steps.findIndex(
      (step, n) => n > 0 && COLLECTION.test(step) && !['regions', 'vpcs', 'subscriptions', 'projects', 'zones'].includes(step),
    );
    const end = at < 0 ? steps.length : Math.min(at + 2, steps.length);
    const [service = 'account'] = steps;
    const name = at < 0 ? service : (steps[at + 1] ?? service);
    const provider = isProvider(this.provider) ? PROVIDERS[this.provider] : 'aws';
    const account = placeText(keys['projects']) ?? placeText(keys['subscriptions']) ?? this.options.account_id;
    const uid = `${provider}:${account ?? '-'}:${steps.slice(0, end).join('/')}`;
    const prefix = { aws: 'aws', azure: 'azurerm', gcp: 'google', alicloud: 'alicloud', oci: 'oci', k8s: 'kubernetes' }[provider];
    const kind = at < 0 ? service : `${service}_${(steps[at] ?? '').replace(/ies$/, 'y').replace(/s$/, '')}`;
    const named = parseCloudName(name);
    return {
      place: {
        resource_uid: named ? name : uid,
        resource_type: named?.resource_type ?? `${prefix}_${snakeCase(kind)}`,
        resource_name: name,
        provider,
        ...(account === undefined ? {} : { account_id: account }),
        region: placeText(keys['regions']) ?? 'global',
      },
      rest: steps.slice(end).join('.'),
    };
  }
}

const placeText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const matches = (line: readonly string[], steps: readonly string[]): boolean =>
  line.length === steps.length && line.every((step, n) => step === 'id' || step === steps[n]);

/** The keys in a path, by the collection that each is of. */
function keysOf(steps: readonly string[], account: string | undefined): Record<string, unknown> {
  const keys: Record<string, unknown> = { account, key: steps.at(-1) };
  for (const [n, step] of steps.entries()) if (COLLECTION.test(step) && steps[n + 1] !== undefined) keys[step] ??= steps[n + 1];
  return keys;
}

/** Rules of firewalls stand in a form of ScoutSuite's own. */
function completeRules(instance: TerraformInstance, resource: Item): void {
  const rules = isItem(resource['rules']) || isItem(resource['allowed_traffic']) ? scoutRules(instance.type, resource) : {};
  Object.assign(instance.values, rules);
}
