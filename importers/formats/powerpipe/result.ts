import { toProvider } from '../../normalize/cloud.js';
import { cloudItems } from '../../normalize/cloud-finding.js';
import { cloudPlace } from '../../normalize/cloud-resource.js';
import type { ReportItems } from '../../normalize/observation.js';
import { toSeverity } from '../../normalize/severity.js';
import { BrokenRecord, compact, objectAt, objectsAt, requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import type { ControlReference, ImportItem, ImportOptions } from '../../types.js';

/** What a report says of a control. */
export interface PowerpipeControl {
  control_id?: string;
  title?: string;
  description?: string;
  severity?: string;
  tags?: JsonObject;
  /** The benchmark that it was run in. */
  benchmark?: string | undefined;
}

const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { alarm: 'FAIL', ok: 'PASS' };
/** Dimensions that say where a resource is, by what the clouds call it. */
const ACCOUNTS = ['account_id', 'subscription_id', 'subscription', 'project', 'project_id', 'tenant_id'];
const REGIONS = ['region', 'location'];

/** Turns the result of a control for one resource into its rule (the first time) and its observation of the engine `check`. */
export function readControlResult(
  record: JsonObject,
  { position }: JsonValueItem,
  control: PowerpipeControl,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  if (control.control_id === undefined) throw new BrokenRecord('control_id of its control is missing');
  const status = requireText(record, 'status');
  const result = RESULTS[status.toLowerCase()];
  if (result === undefined) return [];
  const dimensions = dimensionsOf(record);
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => dimensions.get(name)).find((value) => value !== undefined);
  const account = first(ACCOUNTS);
  // a control of another mod has the mod's name before its own
  const [, mod, name = control.control_id] = /^(?:([\w-]+)\.)?control\.(.+)$/.exec(control.control_id) ?? [];
  const tags = control.tags;
  const place = cloudPlace(
    {
      uid: textAt(record, 'resource') ?? account ?? options.account_id ?? name,
      account,
      region: first(REGIONS),
      artifact: control.benchmark ?? control.control_id,
      provider: toProvider(textAt(tags, 'plugin')) ?? toProvider(textAt(tags, 'service')?.split('/')[0]) ?? toProvider(mod?.split('_')[0]),
      service: textAt(tags, 'service')?.split('/').at(-1)?.toLowerCase(),
    },
    options,
  );
  return cloudItems(
    {
      source: 'powerpipe',
      engine: 'check',
      ruleId: name,
      title: control.title ?? name,
      description: control.description,
      severity: toSeverity(control.severity) ?? 'medium',
      result,
      place,
      discriminator: place.hasRegion ? undefined : place.region,
      detail: textAt(record, 'reason'),
      controls: benchmarkOf(tags),
      evidence: compact({ status, control_id: control.control_id, dimensions: Object.fromEntries(dimensions) }),
      position,
    },
    items,
  );
}

/** `[{"key": "region", "value": "eu-west-1"}]`, or an object. */
function dimensionsOf(record: JsonObject): Map<string, string> {
  const dimensions = new Map<string, string>();
  for (const dimension of objectsAt(record, 'dimensions')) {
    const [key, value] = [textAt(dimension, 'key'), textAt(dimension, 'value')];
    if (key !== undefined && value !== undefined) dimensions.set(key, value);
  }
  const object = objectAt(record, 'dimensions') ?? {};
  for (const key of Object.keys(object)) {
    const value = textAt(object, key);
    if (value !== undefined) dimensions.set(key, value);
  }
  return dimensions;
}

/** Mods of CIS benchmarks tag a control with its section: `cis_item_id` 1.4 of `cis_version` v3.0.0. */
function benchmarkOf(tags: JsonObject | undefined): ControlReference[] {
  const section = textAt(tags, 'cis_item_id');
  const version = /^v?(\d+\.\d+)/.exec(textAt(tags, 'cis_version') ?? '')?.[1];
  return section === undefined || version === undefined ? [] : [{ framework: `CIS-${version}`, control_id: section }];
}
