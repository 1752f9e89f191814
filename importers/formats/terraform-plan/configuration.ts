import { inModule, parseAddress, type AddressReference } from '../../terraform/address.js';

type Json = Readonly<Record<string, unknown>>;

interface ConfiguredModule {
  resources: Map<string, string[]>;
  outputs: Map<string, string[]>;
  /** What each variable of a called module is set to. */
  calls: Map<string, Map<string, string[]>>;
}

const MAX_STEPS = 1_000;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const members = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** Every name in the `references` of an expression (and in `depends_on`); the longest form of each only. */
function referencesIn(expression: unknown): string[] {
  const found = new Set<string>();
  const stack = [expression];
  while (stack.length > 0) {
    const next = stack.pop();
    if (Array.isArray(next)) stack.push(...next.slice(0, 10_000));
    else if (isObject(next)) {
      for (const name of items(next.references)) if (typeof name === 'string') found.add(name);
      for (const [key, value] of Object.entries(next)) if (key !== 'references' && key !== 'constant_value') stack.push(value);
    }
  }
  const names = [...found];
  return names.filter(
    (name) => !names.some((other) => other.length > name.length && /^[.[]/.test(other.slice(name.length)) && other.startsWith(name)),
  );
}

/** The attributes of a resource's expressions, each with the names in it: `ebs_block_device.kms_key_id`. */
function attributesOf(expressions: unknown): { via: string; names: string[] }[] {
  const found: { via: string; names: string[] }[] = [];
  const stack: { value: unknown; via: string }[] = [{ value: expressions, via: '' }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, via } = next;
    if (Array.isArray(value)) stack.push(...value.slice(0, 10_000).map((inner: unknown) => ({ value: inner, via })));
    else if (isObject(value) && Array.isArray(value.references)) found.push({ via, names: referencesIn(value) });
    else for (const [key, inner] of members(value)) stack.push({ value: inner, via: via === '' ? key : `${via}.${key}` });
  }
  return found;
}

/** The `configuration` of a plan: which resource refers to which, through variables, outputs and data sources, and provider regions. */
export class TerraformConfiguration {
  private readonly modules = new Map<string, ConfiguredModule>();
  private readonly regions = new Map<string, string>();
  private readonly providerKeys = new Map<string, string>();
  private readonly expressions = new Map<string, Json>();

  constructor(configuration: unknown) {
    if (!isObject(configuration)) return;
    for (const [key, provider] of members(configuration.provider_config)) {
      const expressions = isObject(provider) && isObject(provider.expressions) ? provider.expressions : {};
      const region = isObject(expressions.region) ? expressions.region.constant_value : undefined;
      if (typeof region === 'string' && region !== '') this.regions.set(key, region);
    }
    this.addModule('', configuration.root_module, 0);
  }

  /** The constant region of the provider that a resource (a declared address) is made with. */
  regionOf(declared: string): string | undefined {
    return this.regions.get(this.providerKeys.get(declared) ?? '');
  }

  /** What a resource refers to: declared addresses, each with the instance key that the expression gives, and the attributes that say so. */
  referencesOf(declared: string): AddressReference[] {
    const address = parseAddress(declared);
    if (address === undefined) return [];
    const { module } = address;
    const all = this.follow(module, this.modules.get(module)?.resources.get(address.resource) ?? []);
    const told = attributesOf(this.expressions.get(declared)).flatMap(({ via, names }) =>
      this.follow(module, names).map((name) => ({ name, via })),
    );
    return [...told, ...all.map((name) => ({ name }))];
  }

  /**
   * What the expression of an attribute that is not known yet says of it.
   * @param path steps from the resource's values: `['versioning', 0, 'enabled']`
   * @returns `unset` where there is no expression (the provider decides), the name of a resource or data source that it refers to,
   *   undefined where the configuration leaves it open
   */
  attributeOf(declared: string, path: readonly (string | number)[]): { unset: true } | { reference: string } | undefined {
    const address = parseAddress(declared);
    const expressions = this.expressions.get(declared);
    if (address === undefined || expressions === undefined) return undefined;
    let expression: unknown = expressions;
    for (const step of path) {
      if (typeof step === 'number') expression = Array.isArray(expression) ? (expression as unknown[])[step] : expression;
      else expression = isObject(expression) ? expression[step] : undefined;
      if (expression === undefined) return { unset: true };
      // the whole attribute is one expression: its parts are not separated
      if (isObject(expression) && Array.isArray(expression.references)) break;
    }
    const names = referencesIn(expression);
    const direct = names.find((name) => /^(?:data\.|module\.|[a-z][a-z0-9]*_\w+\.)/.test(name));
    const reference = direct ?? this.follow(address.module, names)[0];
    return reference === undefined ? undefined : { reference };
  }

  private follow(from: string, names: readonly string[]): string[] {
    const targets = new Set<string>();
    const seen = new Set<string>();
    const pending = this.pairs(from, names);
    for (let next = pending.pop(); next !== undefined && seen.size < MAX_STEPS; next = pending.pop()) {
      const [module, name] = next;
      const id = `${module}\n${name}`;
      if (seen.has(id)) continue;
      seen.add(id);
      pending.push(...this.followed(module, name, targets));
    }
    return [...targets].sort();
  }

  private followed(module: string, name: string, targets: Set<string>): [string, string][] {
    const [head = '', second = '', third = ''] = name.split('.');
    if (head === 'var') {
      const caller = /^(?:(.*)\.)?module\.([\w-]+)$/.exec(module);
      const from = caller?.[1] ?? '';
      return this.pairs(
        from,
        this.modules
          .get(from)
          ?.calls.get(caller?.[2] ?? '')
          ?.get(unindexed(second)) ?? [],
      );
    }
    if (head === 'module') {
      const child = inModule(module, `module.${unindexed(second)}`);
      const outputs = this.modules.get(child)?.outputs;
      // A bare `module.x` (depends_on) says nothing of a single resource.
      return third === '' ? [] : this.pairs(child, outputs?.get(unindexed(third)) ?? []);
    }
    if (['local', 'each', 'count', 'path', 'terraform', 'self'].includes(head)) return [];
    const address = parseAddress(name);
    if (address === undefined) return [];
    if (head === 'data') return this.pairs(module, this.modules.get(module)?.resources.get(address.resource) ?? []);
    targets.add(inModule(module, address.resource + address.index));
    return [];
  }

  private pairs(module: string, names: readonly string[]): [string, string][] {
    return names.map((name) => [module, name]);
  }

  private addModule(path: string, module: unknown, depth: number): void {
    if (!isObject(module) || depth > 50) return;
    const entry: ConfiguredModule = { resources: new Map(), outputs: new Map(), calls: new Map() };
    this.modules.set(path, entry);
    for (const resource of items(module.resources)) {
      if (!isObject(resource) || typeof resource.address !== 'string') continue;
      const dependsOn = items(resource.depends_on).filter((name) => typeof name === 'string');
      entry.resources.set(resource.address, [
        ...referencesIn([resource.expressions, resource.for_each_expression, resource.count_expression]),
        ...dependsOn,
      ]);
      if (isObject(resource.expressions)) this.expressions.set(inModule(path, resource.address), resource.expressions);
      if (typeof resource.provider_config_key === 'string')
        this.providerKeys.set(inModule(path, resource.address), resource.provider_config_key);
    }
    for (const [name, output] of members(module.outputs)) entry.outputs.set(name, referencesIn(output));
    for (const [name, call] of members(module.module_calls)) {
      if (!isObject(call)) continue;
      entry.calls.set(name, new Map(members(call.expressions).map(([variable, expression]) => [variable, referencesIn(expression)])));
      this.addModule(inModule(path, `module.${name}`), call.module, depth + 1);
    }
  }
}

function unindexed(name: string): string {
  return name.replace(/\[.*$/, '');
}
