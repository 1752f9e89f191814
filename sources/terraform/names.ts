import { inModule } from '../../importers/terraform/address.js';
import { dataAttribute } from './data-sources.js';
import { blocksOf } from './body.js';
import type { Declared } from './module.js';
import { Reference } from './reference.js';
import type { ModuleScope, Repeated, Repetition, Scope, Trace } from './scope.js';
import { isUnknown, mapOf, Unknown, type Value } from './value.js';

/** What the names at the beginning of an expression stand for, and how many steps of it they are. */
interface Named {
  value: Value;
  steps: number;
}

/** Names that Terraform itself gives, which nobody knows before it runs. */
const OPEN = new Set(['terraform', 'self', 'ephemeral']);

/** What `var.name`, `local.name`, `aws_vpc.main` and the like stand for; undefined for what is declared nowhere. */
export function resolveName(root: string, names: readonly (string | undefined)[], scope: Scope): Named | undefined {
  const { module, trace, repeated } = scope;
  const [first, second] = names;
  if (first === undefined || OPEN.has(root)) return undefined;
  switch (root) {
    case 'var':
      return named(module.variable(first, trace));
    case 'local':
      return named(module.local(first, trace));
    case 'each':
      return named(first === 'key' || first === 'value' ? repeated.each?.[first] : undefined);
    case 'count':
      return named(first === 'index' ? repeated.count : undefined);
    case 'path':
      return named(first === 'module' ? module.folder : first === 'root' ? '.' : undefined);
    case 'module':
      return named(moduleValue(first, scope));
    case 'data':
      return second === undefined ? undefined : { value: dataValue(`${first}.${second}`, scope), steps: 2 };
    default:
      return named(resourceValue(`${root}.${first}`, scope));
  }
}

const named = (value: Value | undefined): Named | undefined => (value === undefined ? undefined : { value, steps: 1 });

/** One that is made once, a list of those that `count` makes, a map of those that `for_each` makes. */
function repeatedValue({ by, isOpen, instances }: Repetition, make: (repeated: Repeated, n: number, isOpen: boolean) => Value): Value {
  if (isOpen || by === 'none') return make(instances[0]!, 0, isOpen);
  const made = instances.map((repeated, n) => make(repeated, n, false));
  return by === 'number' ? made : mapOf(instances.map(({ each }, n) => [String(each?.key), made[n]!] as const));
}

function moduleValue(name: string, scope: Scope): Value | undefined {
  const called = scope.module.child(name);
  if (called === undefined) return undefined;
  return repeatedValue(called.repetition, (_, n, isOpen) => {
    const instance = called.instances[n]!;
    return new Reference(instance.address, (output) => instance.output(output, scope.trace), isOpen);
  });
}

function resourceValue(key: string, scope: Scope): Value | undefined {
  const { module, trace } = scope;
  const declared = module.module.resources.get(key);
  const address = inModule(module.address, key);
  if (declared === undefined) return undefined;
  trace.references.add(address);
  return repeatedValue(module.repetition(declared, trace), (repeated, _, isOpen) => {
    const own = address + repeated.index;
    return new Reference(own, (name) => attributeValue(module, declared, own, repeated, name, trace), isOpen);
  });
}

function dataValue(key: string, scope: Scope): Value {
  const { module, trace } = scope;
  const declared = module.module.data.get(key);
  const address = inModule(module.address, `data.${key}`);
  if (declared === undefined) return Unknown.of(address);
  trace.references.add(address);
  return repeatedValue(module.repetition(declared, trace), (repeated, _, isOpen) => {
    const own = address + repeated.index;
    const read = (name: string): Value =>
      module.remember(
        `${own}.${name}`,
        trace,
        (found) => dataAttribute(declared, name, module.scope(found, repeated)) ?? Unknown.of(`${own}.${name}`),
      );
    return new Reference(own, read, isOpen);
  });
}

/** What is not known at all: who refers to the resource's attribute refers to something that will be there. */
const isOpenWhole = (value: Value): boolean => isUnknown(value) && /^\$\{[^{}]*\}$/.test(value.text);

/** What a resource's block says of one of its attributes; what it does not say the provider will. */
function attributeValue(module: ModuleScope, declared: Declared, address: string, repeated: Repeated, name: string, trace: Trace): Value {
  return module.remember(`${address}.${name}`, trace, (own) => {
    const { attributes, blocks } = declared.block;
    const scope = module.scope(own, repeated);
    const expression = attributes.get(name);
    if (expression !== undefined) {
      const value = scope.evaluate(expression, scope);
      return value === null || isOpenWhole(value) ? Unknown.of(`${address}.${name}`) : value;
    }
    return blocks.some(({ type, labels }) => type === name || (type === 'dynamic' && labels[0] === name))
      ? blocksOf(blocks, name, scope)
      : Unknown.of(`${address}.${name}`);
  });
}
