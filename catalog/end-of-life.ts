import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const number = z.string().regex(/^\d+(\.\d+)*$/);
const tableSchema = z.array(
  z.strictObject({
    product: z.string().regex(/^[a-z0-9_]+$/),
    /** Where the maker publishes the days. */
    source: z.url(),
    /** Why no version that is supported now has a day. */
    open: z.string().min(1).optional(),
    /** The number that a version begins with -> its last day. */
    versions: z.record(number, z.iso.date()),
  }),
);

let table: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;

/** The products of `end-of-life.yaml`. @throws ZodError where the file is wrong */
export const readEndOfLife = (): z.infer<typeof tableSchema> =>
  tableSchema.parse(load(readFileSync(new URL('./end-of-life.yaml', import.meta.url), 'utf8')));

function readTable(): NonNullable<typeof table> {
  return new Map(readEndOfLife().map(({ product, versions }) => [product, versions]));
}

/** The number of a version, with dots: `8.0.36` of `MYSQL_8_0_36`, `8.0` of `8.0.mysql_aurora.3.05.2`, `7.0.5` of `V7_0_5`; undefined where there is none. */
export const versionNumber = (version: string): string | undefined => /\d+(?:[._]\d+)*/.exec(version)?.[0].replaceAll('_', '.');

/**
 * The day on which the makers of a product end the support of a version, as `2026-04-30`; undefined where they have not said, or the table lacks it.
 * @param product by its one name: `postgres`, `sqlserver`
 * @param version as its provider writes it
 */
export function endOfLife(product: string, version: string): string | undefined {
  table ??= readTable();
  const versions = table.get(product);
  const parts = versions && versionNumber(version)?.split('.');
  if (!parts) return undefined;
  for (let length = parts.length; length > 0; length--) {
    const day = versions[parts.slice(0, length).join('.')];
    if (day !== undefined) return day;
  }
  return undefined;
}
