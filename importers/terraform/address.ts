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

/** The addresses of the resources that `${...}` strings anywhere in a value of the resource at `address` refer to. */
export function interpolatedReferences(value: unknown, address: string): string[] {
  const found = new Set<string>();
  const stack = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === 'string' && next.includes('${')) {
      for (const [, expression = ''] of next.matchAll(INTERPOLATION)) for (const [name] of expression.matchAll(TRAVERSAL)) found.add(name);
    } else if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next)) stack.push(inner);
    }
  }
  const module = parseAddress(address)?.module ?? '';
  return [...found]
    .filter((name) => !name.startsWith('data.'))
    .sort()
    .map((name) => inModule(module, name));
}
