import { interpolatedReferences } from '../../importers/terraform/address.js';
import { importInstances, type InstanceItem } from '../../importers/terraform/import.js';
import type { TerraformInstance } from '../../importers/terraform/asset.js';
import { resourcesOf, thingOf } from '../../importers/cloud/map.js';
import { cloudTable, type Thing } from '../../importers/cloud/table.js';
import type { AssetInput, ImportItem } from '../../importers/types.js';
import type { InventorySource, Place, Skipped } from '../types.js';
import { Resolver } from './resolve.js';
import { isObject, parseTemplate, type Json, type Template } from './template.js';

const FORMAT = 'cloudformation';
/** Types that make nothing which could be judged. */
const NOTHING = /^(?:Custom::|AWS::CDK::Metadata$|AWS::CloudFormation::(?:CustomResource|WaitCondition|WaitConditionHandle|Macro)$)/;
const PLACE = { region: undefined, account: undefined };

/** The resources of a template, as Terraform names them (importers/cloud/tables/cloudformation.yaml). @throws NoTemplate */
export function readCloudFormation(name: string, text: string): InventorySource {
  const template = parseTemplate(text);
  const reader = new TemplateReader(name, template);
  const instances = reader.instances();
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

let told: string[] | undefined;

function toldTypes(): string[] {
  told ??= [...new Set(cloudTable('cloudformation').things.flatMap(({ type, more }) => [type, ...more.map((made) => made.type)]))];
  return told;
}

class TemplateReader {
  readonly skipped: Skipped[] = [];
  private readonly resources: Json;
  private readonly globals: Json;
  private readonly resolver: Resolver;

  constructor(
    private readonly name: string,
    private readonly template: Template,
  ) {
    const { Resources, Globals } = template.value;
    this.resources = isObject(Resources) ? Resources : {};
    this.globals = isObject(Globals) ? Globals : {};
    this.resolver = new Resolver(template.value, (id) => this.typeOf(id));
  }

  instances(): { id: string; instance: TerraformInstance }[] {
    return Object.entries(this.resources).flatMap(([id, resource]) => this.made(id, resource).map((instance) => ({ id, instance })));
  }

  private made(id: string, resource: unknown): TerraformInstance[] {
    const line = this.template.lines.get(id)?.line;
    const at = line === undefined ? {} : { line };
    if (!isObject(resource) || typeof resource.Type !== 'string') {
      this.skipped.push({ file: this.name, ...at, reason: `${id} is no resource with a Type` });
      return [];
    }
    const { Type: type, Condition: condition } = resource;
    if (NOTHING.test(type) || (typeof condition === 'string' && this.resolver.condition(condition) === false)) return [];
    const thing = this.thingOf(type, this.resolver.properties(this.withGlobals(type, resource.Properties)));
    if (thing === undefined) {
      this.skipped.push({ file: this.name, ...at, reason: `${id}: ${type} is not mapped` });
      return [];
    }
    const { found, item } = thing;
    const position = `${this.name}${line === undefined ? '' : ` line ${line}`}`;
    const instances = resourcesOf(
      cloudTable('cloudformation'),
      found,
      { ...item, Ref: `\${${found.type}.${id}.id}` },
      { place: PLACE, at: id },
    );
    const taken = new Map<string, number>();
    return instances.map((instance) => {
      const times = taken.get(instance.type) ?? 0;
      taken.set(instance.type, times + 1);
      const name = times === 0 ? id : `${id}-${times}`;
      return { ...instance, name, address: `${instance.type}.${name}`, position };
    });
  }

  private thingOf(type: string, item: Json): { found: Thing; item: Json } | undefined {
    const found = thingOf('cloudformation', type, item);
    return found && { found, item };
  }

  /** The type that a resource becomes; its own, in the spelling of one, for what is not mapped. */
  private typeOf(id: string): string | undefined {
    if (!Object.hasOwn(this.resources, id)) return undefined;
    const resource = this.resources[id];
    const type = isObject(resource) && typeof resource.Type === 'string' ? resource.Type : '';
    const properties = isObject(resource) && isObject(resource.Properties) ? resource.Properties : {};
    return thingOf('cloudformation', type, properties)?.type ?? `aws_${type.replaceAll('::', '_').toLowerCase()}`;
  }

  /** Properties that all resources of a kind have by the template's `Globals` (AWS SAM). */
  private withGlobals(type: string, properties: unknown): Json {
    const own = isObject(properties) ? properties : {};
    const kind = /^AWS::Serverless::(\w+)$/.exec(type)?.[1];
    const shared = kind === undefined ? undefined : this.globals[kind];
    return isObject(shared) ? merged(shared, own) : own;
  }
}

/** Objects are merged, lists are joined, of anything else the resource's own counts. */
function merged(shared: Json, own: Json): Json {
  const made: Record<string, unknown> = { ...shared };
  for (const [name, value] of Object.entries(own)) {
    const before = made[name];
    made[name] =
      isObject(before) && isObject(value)
        ? merged(before, value)
        : Array.isArray(before) && Array.isArray(value)
          ? [...(before as unknown[]), ...(value as unknown[])]
          : value;
  }
  return made;
}
