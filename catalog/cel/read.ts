export type Plain = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The blocks of an attribute, whether it was written as a list or as one block. */
export const blocks = (value: unknown): Plain[] => (Array.isArray(value) ? value.filter(isPlain) : isPlain(value) ? [value] : []);

/** The only, or first, block of an attribute. */
export const block = (value: unknown): Plain | undefined => blocks(value)[0];

/** A reference in the form that Terraform 0.11 wrote and some readers leave: `var.protocol`. */
const BARE_REFERENCE = /^(?:var|local|each|module|data)\.[a-z_]/;

/** A text or number as text; undefined for what is not there or not resolved. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && !value.includes('${') && !BARE_REFERENCE.test(value) ? value.trim() : undefined;
}

/** A whole number; undefined for what is none. */
export function int(value: unknown): number | undefined {
  const number = typeof value === 'number' ? value : Number.parseInt(text(value) ?? '', 10);
  return Number.isFinite(number) ? number : undefined;
}

/** A boolean, also as text; undefined for what is none. */
export function flag(value: unknown): boolean | undefined {
  const word = text(value)?.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** The texts of a text or list, undefined for those that are not resolved; empty where the attribute is absent. */
export function items(value: unknown): (string | undefined)[] {
  if (value === undefined || value === null || value === '') return [];
  return (Array.isArray(value) ? value : [value]).filter((item) => item !== null && item !== '').map(text);
}
