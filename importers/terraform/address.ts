/** A Terraform address taken apart (Terraform docs, "Resource Addressing"). */
export interface ResourceAddress {
  /** The module instances it lies in, `module.a["x"].module.b`, or empty. */
  module: string;
  /** `aws_s3_bucket.logs`, or `data.aws_ami.base`. */
  resource: string;
  /** `[0]`, `["key"]`, or empty. */
  index: string;
}

const INDEX = String.raw`\[(?:"(?:[^"\\]|\\.)*"|\d+|\*)\]`;
const ADDRESS = new RegExp(String.raw`^((?:module\.[\w-]+(?:${INDEX})?\.)*)((?:data\.)?[A-Za-z_][\w-]*\.[\w-]+)(${INDEX})?`);
const ALL_INDEXES = new RegExp(INDEX, 'g');

/** Reads an address, or the resource in a longer reference such as `aws_vpc.main[0].id`; undefined where it names none. */
export function parseAddress(text: string): ResourceAddress | undefined {
  const match = text.length > 4_096 ? null : ADDRESS.exec(text);
  if (match === null) return undefined;
  const [, module = '', resource = '', index = ''] = match;
  return { module: module.replace(/\.$/, ''), resource, index };
}

/** An address without instance keys: where the configuration declares it. */
export function declaredAddress(address: string): string {
  return address.replace(ALL_INDEXES, '');
}

/** A name inside a module; an empty module is the root. */
export function inModule(module: string, name: string): string {
  return module === '' ? name : `${module}.${name}`;
}

const INTERPOLATION = /\$\{([^}]{1,2000})/g;
const TRAVERSAL = /(?<![\w."-])(?:data\.)?[a-z][a-z0-9]*_\w+\.[A-Za-z_][\w-]*(?:\[(?:"[^"\]]{0,200}"|\d+)\])?/g;

/** An address that a resource refers to, and the attribute that says so, where one does: `ebs_block_device.kms_key_id`. */
export interface AddressReference {
  readonly name: string;
  readonly via?: string;
}

/** The addresses in the `${...}` of a value, from the root, with the attributes that they stand in. Data sources are left out. */
export function interpolatedReferences(value: unknown, address: string): AddressReference[] {
  const found = new Map<string, AddressReference>();
  const module = parseAddress(address)?.module ?? '';
  const stack: { value: unknown; via: string }[] = [{ value, via: '' }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { via } = next;
    if (typeof next.value === 'string' && next.value.includes('${')) {
      for (const [, expression = ''] of next.value.matchAll(INTERPOLATION))
        for (const [name] of expression.matchAll(TRAVERSAL))
          if (!name.startsWith('data.')) found.set(`${name} ${via}`, { name: inModule(module, name), via });
    } else if (Array.isArray(next.value)) {
      for (const inner of next.value as unknown[]) stack.push({ value: inner, via });
    } else if (typeof next.value === 'object' && next.value !== null) {
      for (const [key, inner] of Object.entries(next.value)) stack.push({ value: inner, via: via === '' ? key : `${via}.${key}` });
    }
  }
  return [...found.values()].sort((one, other) => (one.name + one.via < other.name + other.via ? -1 : 1));
}
