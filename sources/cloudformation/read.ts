import { interpolatedReferences } from '../../importers/terraform/address.js';
import { importInstances, type InstanceItem } from '../../importers/terraform/import.js';
import type { TerraformInstance } from '../../importers/terraform/asset.js';
import { isItem, type Item } from '../../importers/cloud/item.js';
import { resourcesOf, thingOf } from '../../importers/cloud/map.js';
import { cloudTable } from '../../importers/cloud/table.js';
import type { AssetInput, ImportItem } from '../../importers/types.js';
import { NoTemplate } from '../no-template.js';
import type { InventorySource, Place, Skipped } from '../types.js';
import { Resolver } from './resolve.js';
import { parseTemplate, type Template } from './template.js';

const FORMAT = 'cloudformation';
/** Types that make nothing which could be judged. */
const NOTHING = /^(?:Custom::|AWS::CDK::Metadata$|AWS::CloudFormation::(?:CustomResource|WaitCondition|WaitConditionHandle|Macro)$)/;
const PLACE = { region: undefined, account: undefined };

/** The resources of a template, as Terraform names them (importers/cloud/tables/cloudformation.yaml). @throws NoTemplate */
export function readCloudFormation(name: string, text: string): InventorySource {
  const template = parseTemplate(text);
  const reader = new TemplateReader(name, template);
  const instances = instancesOf(reader);
  const places = new Map(instances.map(({ instance, id }) => [instance.address, template.lines.get(id)]));
  async function* items(): AsyncGenerator<InstanceItem> {
    for (const { instance } of instances)
      yield { kind: 'instance', instance, references: interpolatedReferences(instance.values, instance.address) };
  }
  async function* read(): AsyncGenerator<ImportItem> {
    // a template tells all that there will be of what it can tell
    yield { kind: 'listed', types: toldTypes() };
    yield* importInstances({ format: FORMAT, read: items }, {});
  }
  return {
    name,
    format: FORMAT,
    isCode: true,
    namesFiles: true,
    read,
    placeOf: ({ source }: AssetInput): Place => ({ file: name, ...places.get(source.address) }),
    skipped: () => reader.skipped,
  };
}

function instancesOf(reader: TemplateReader): ReturnType<TemplateReader['instances']> {
  try {
    return reader.instances();
  } catch (error) {
    // of a stack or a text that is full
    if (error instanceof RangeError) throw new NoTemplate('its conditions go too deep, or it makes texts that are too long');
    throw error;
  }
}

let told: string[] | undefined;

function toldTypes(): string[] {
  told ??= [...new Set(cloudTable('cloudformation').things.flatMap(({ type, more }) => [type, ...more.map((made) => made.type)]))];
  return told;
}

class TemplateReader {
  readonly skipped: Skipped[] = [];
  private readonly resources: Item;
  private readonly globals: Item;
  private readonly resolver: Resolver;

  constructor(
    private readonly name: string,
    private readonly template: Template,
  ) {
    const { Resources, Globals } = template.value;
    this.resources = isItem(Resources) ? Resources : {};
    this.globals = isItem(Globals) ? Globals : {};
    this.resolver = new Resolver(template.value, (id) => this.typeOf(id));
  }

  instances(): { id: string; instance: TerraformInstance }[] {
    return Object.entries(this.resources).flatMap(([id, resource]) => this.made(id, resource).map((instance) => ({ id, instance })));
  }

  private made(id: string, resource: unknown): TerraformInstance[] {
    const line = this.template.lines.get(id)?.line;
    const at = line === undefined ? {} : { line };
    if (!isItem(resource) || typeof resource.Type !== 'string') {
      this.skipped.push({ file: this.name, ...at, reason: `${id} is no resource with a Type` });
      return [];
    }
    const { Type: type, Condition: condition } = resource;
    if (NOTHING.test(type) || (typeof condition === 'string' && this.resolver.condition(condition) === false)) return [];
    const position = `${this.name}${line === undefined ? '' : ` line ${line}`}`;
    const instances: TerraformInstance[] = [];
    for (const item of holdersOf(type, this.resolver.properties(this.withGlobals(type, resource.Properties)))) {
      const thing = thingOf('cloudformation', type, item);
      if (thing === undefined) {
        this.skipped.push({ file: this.name, ...at, reason: `${id}: ${type} is not mapped` });
        return [];
      }
      const own = { ...item, Ref: `\${${thing.type}.${id}.id}` };
      instances.push(...resourcesOf(cloudTable('cloudformation'), thing, own, { place: PLACE, at: id }));
    }
    const taken = new Map<string, number>();
    return instances.map((instance) => {
      const times = taken.get(instance.type) ?? 0;
      taken.set(instance.type, times + 1);
      const name = times === 0 ? id : `${id}-${times}`;
      return { ...instance, name, address: `${instance.type}.${name}`, position };
    });
  }

  /** The type that a resource becomes; its own, in the spelling of one, for what is not mapped. */
  private typeOf(id: string): string | undefined {
    if (!Object.hasOwn(this.resources, id)) return undefined;
    const resource = this.resources[id];
    const type = isItem(resource) && typeof resource.Type === 'string' ? resource.Type : '';
    const properties = isItem(resource) && isItem(resource.Properties) ? resource.Properties : {};
    return thingOf('cloudformation', type, properties)?.type ?? `aws_${type.replaceAll('::', '_').toLowerCase()}`;
  }

  /** Properties that all resources of a kind have by the template's `Globals` (AWS SAM). */
  private withGlobals(type: string, properties: unknown): Item {
    const own = isItem(properties) ? properties : {};
    const kind = /^AWS::Serverless::(\w+)$/.exec(type)?.[1];
    const shared = kind === undefined ? undefined : this.globals[kind];
    return isItem(shared) ? merged(shared, own) : own;
  }
}

const HOLDERS = ['Roles', 'Users', 'Groups'];

/** Terraform has a policy for each role, user and group that CloudFormation names together. */
function holdersOf(type: string, item: Item): Item[] {
  if (type !== 'AWS::IAM::Policy') return [item];
  const { Roles: _roles, Users: _users, Groups: _groups, ...rest } = item;
  const each = HOLDERS.flatMap((name) => [item[name] ?? []].flat().map((one) => ({ ...rest, [name]: [one] })));
  return each.length === 0 ? [item] : each;
}

/** Objects are merged, lists are joined, of anything else the resource's own counts. */
function merged(shared: Item, own: Item): Item {
  const made: Record<string, unknown> = { ...shared };
  for (const [name, value] of Object.entries(own)) {
    const before = made[name];
    made[name] =
      isItem(before) && isItem(value)
        ? merged(before, value)
        : Array.isArray(before) && Array.isArray(value)
          ? [...(before as unknown[]), ...(value as unknown[])]
          : value;
  }
  return made;
}
