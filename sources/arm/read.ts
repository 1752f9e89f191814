import { isItem, isOpen, valuesAt, type Item } from '../../importers/cloud/item.js';
import { resourcesOf, thingOf } from '../../importers/cloud/map.js';
import { cloudTable } from '../../importers/cloud/table.js';
import { interpolatedReferences } from '../../importers/terraform/address.js';
import type { TerraformInstance } from '../../importers/terraform/asset.js';
import { importInstances, type InstanceItem } from '../../importers/terraform/import.js';
import type { AssetInput, ImportItem } from '../../importers/types.js';
import { plainOf, toText } from '../terraform/value.js';
import type { InventorySource, Place, Skipped } from '../types.js';
import { idOf } from './identifier.js';
import { Resolver, type Copies } from './resolve.js';
import { parseArmTemplate, type ArmResource, type ArmTemplate } from './template.js';

const FORMAT = 'arm';
const PLACE = { region: undefined, account: undefined };
/** Resources that one loop makes; more of the same say nothing new. */
const MAX_COPIES = 100;

/** The resources of a template, as Terraform names them (importers/cloud/tables/azure.yaml). @throws NoTemplate */
export function readArm(name: string, text: string): InventorySource {
  const reader = new TemplateReader(name, parseArmTemplate(text));
  const instances = reader.instances();
  const places = new Map(instances.map(({ instance, resource }) => [instance.address, resource.lines]));
  async function* items(): AsyncGenerator<InstanceItem> {
    for (const { instance } of instances)
      yield { kind: 'instance', instance, references: interpolatedReferences(instance.values, instance.address) };
  }
  return {
    name,
    format: FORMAT,
    isCode: true,
    namesFiles: true,
    read: (): AsyncIterable<ImportItem> => importInstances({ format: FORMAT, read: items }, {}),
    placeOf: ({ source }: AssetInput): Place => ({ file: name, ...places.get(source.address) }),
    skipped: () => reader.skipped,
  };
}

/** A resource as it is made once. */
interface Made {
  resource: ArmResource;
  type: string;
  /** One for each step of the type. */
  names: string[];
  copies: Copies;
}

interface Written {
  instance: TerraformInstance;
  resource: ArmResource;
}

class TemplateReader {
  readonly skipped: Skipped[] = [];
  private readonly resolver: Resolver;
  private readonly taken = new Set<string>();
  /** Addresses of what has an identifier, by that in lower case. */
  private readonly addresses = new Map<string, string>();

  constructor(
    private readonly name: string,
    private readonly template: ArmTemplate,
  ) {
    this.resolver = new Resolver(template.value);
  }

  instances(): Written[] {
    const written = this.template.resources.flatMap((resource) =>
      this.copiesOf(resource).flatMap((one) => this.instancesOf(one).map((instance) => ({ instance, resource }))),
    );
    // who is meant is known when all are there
    return written.map(({ instance, resource }) => {
      const { id: _own, ...values } = instance.values;
      return { instance: { ...instance, values: this.linked(values) as Item }, resource }; // an object gives an object
    });
  }

  private copiesOf(resource: ArmResource): Made[] {
    const { type, name, copy, condition, existing } = resource.value;
    if (typeof type !== 'string' || typeof name !== 'string') {
      this.skip(resource, `${resource.symbol ?? 'a resource'} has no type and name`);
      return [];
    }
    const count = isItem(copy) ? this.resolver.resolve(copy.count, {}) : undefined;
    const loop = isItem(copy) && typeof copy.name === 'string' ? copy.name.toLowerCase() : '';
    const all: Copies[] =
      typeof count === 'number' && count >= 0
        ? Array.from({ length: Math.min(count, MAX_COPIES) }, (_, n) => ({ '': n, [loop]: n }))
        : [{}];
    if (existing === true) return [];
    return all
      .filter((copies) => this.resolver.resolve(condition ?? true, copies) !== false)
      .map((copies) => ({ resource, ...this.identityOf(resource, copies), copies }));
  }

  /** Its type and name, with those of the resources that it stands in. */
  private identityOf({ value, within }: ArmResource, copies: Copies): Pick<Made, 'type' | 'names'> {
    const names = (toText(this.resolver.resolve(value.name, copies)) ?? '').split('/');
    const type = String(value.type);
    if (within === undefined || /^[\w]+\.[\w.]+\//.test(type)) return { type, names };
    const outer = this.identityOf(within, copies);
    return { type: `${outer.type}/${type}`, names: [...outer.names, ...names] };
  }

  private instancesOf({ resource, type, names, copies }: Made): TerraformInstance[] {
    const { resources: _inner, copy: _copy, dependsOn: _dependsOn, ...given } = resource.value;
    const item = plainOf(this.resolver.resolve(given, copies)) as Item; // an object gives an object
    const thing = thingOf('azure', type, item);
    if (thing === undefined || !isDecided(type, item)) {
      this.skip(
        resource,
        `${names.join('/')}: ${thing === undefined ? `${type} is not mapped` : `what kind of ${type} it is nobody knows`}`,
      );
      return [];
    }
    const id = idOf(type, names, item.scope);
    const position = `${this.name}${resource.lines === undefined ? '' : ` line ${resource.lines.line}`}`;
    const whole: Item = { ...withIds(item, id), id, name: names.at(-1)!, type };
    // what a template leaves out the service decides
    const made = resourcesOf(cloudTable('azure'), thing, whole, { place: PLACE, at: position, summary: true });
    return made.map((instance, n) => {
      const { name, id: own } = instance.values;
      const address = this.addressFor(instance.type, n > 0 && typeof name === 'string' ? [...names, name] : names);
      if (typeof own === 'string' && !this.addresses.has(own.toLowerCase())) this.addresses.set(own.toLowerCase(), address);
      return { ...instance, address, name: address.slice(address.indexOf('.') + 1), position };
    });
  }

  private addressFor(type: string, names: readonly string[]): string {
    const plain = `${type}.${
      names
        .join('_')
        .replaceAll(/\W+/g, '_')
        .replaceAll(/^_+|_+$/g, '') || 'resource'
    }`;
    let address = plain;
    for (let n = 1; this.taken.has(address); n++) address = `${plain}-${n}`;
    this.taken.add(address);
    return address;
  }

  /** Values in which identifiers of resources of the template are references to them. */
  private linked(value: unknown): unknown {
    if (Array.isArray(value)) return (value as unknown[]).map((inner) => this.linked(inner));
    if (isItem(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.linked(inner)]));
    const address = typeof value === 'string' ? this.addresses.get(value.toLowerCase()) : undefined;
    return address === undefined ? value : `\${${address}.id}`;
  }

  private skip({ lines }: ArmResource, reason: string): void {
    this.skipped.push({ file: this.name, ...(lines === undefined ? {} : { line: lines.line }), reason });
  }
}

/** Whether what tells kinds of one type from each other is known. */
const isDecided = (type: string, item: Item): boolean =>
  cloudTable('azure')
    .things.filter(({ config }) => config.some((one) => one.toLowerCase() === type.toLowerCase()))
    .every(({ when }) => Object.keys(when).every((path) => !valuesAt(item, path).some(isOpen)));

/** Parts of a resource that have a name have an id, too: subnets of a network. */
function withIds(item: Item, id: string): Item {
  if (!isItem(item.properties)) return item;
  const properties = Object.entries(item.properties).map(([list, value]) => [
    list,
    Array.isArray(value)
      ? (value as unknown[]).map((one) =>
          isItem(one) && typeof one.name === 'string' && one.id === undefined ? { ...one, id: `${id}/${list}/${one.name}` } : one,
        )
      : value,
  ]);
  return { ...item, properties: Object.fromEntries(properties) as Item };
}
