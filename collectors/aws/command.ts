import type { Input } from './lines.js';

/** A name as the command line writes it: `DescribeDBInstances` is `describe-db-instances`. */
const kebab = (name: string): string =>
  name
    .replaceAll(/(.)([A-Z][a-z]+)/g, '$1-$2')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();

/** A call as the command line writes it: `aws s3api get-bucket-policy --bucket ledger`. @param command the service's name there */
export function commandOf(command: string, call: string, input: Input = {}): string {
  const options = Object.entries(input).map(([name, value]) => `--${kebab(name)} ${[value].flat().join(' ')}`);
  return ['aws', command, kebab(call), ...options].join(' ');
}

const MEMBER = /\{(\w+)\}/g;

/** What a call asks about a thing: each text in braces becomes the member of that name. Undefined where the thing has it not. */
export function filled(input: Input, thing: Readonly<Record<string, unknown>>): Input | undefined {
  let missing = false;
  const fill = (text: string): string =>
    text.replaceAll(MEMBER, (_, name: string) => {
      const value = thing[name];
      if (typeof value === 'string') return value;
      missing = true;
      return '';
    });
  const made = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' ? fill(value) : Array.isArray(value) ? (value as readonly string[]).map(fill) : value,
    ]),
  );
  return missing ? undefined : made;
}
