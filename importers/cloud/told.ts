import { cloudTable, type CloudTable, type Made, type Same, type Thing, type Values } from './table.js';

/** What a line of a table fills of a type. */
export interface ToldType {
  readonly type: string;
  /** Attribute paths; those of blocks stand beside what is in them. */
  readonly paths: readonly string[];
  /** The paths among them that are blocks: what nothing fills of such a one is open. */
  readonly blocks: readonly string[];
  /** What no answer has, because only releases of Terraform before have an attribute of the name: known to be absent. */
  readonly never: readonly string[];
  /** Whether a scan that tells some of these tells all that there are, were it none (`ImportItem` `listed`). */
  readonly isListed: boolean;
}

/** Providers whose answers are lists of all that there is of a type where it is asked. */
const LISTING: ReadonlySet<string> = new Set<CloudTable['provider']>(['aws', 'oci', 'alicloud', 'ibm']);

const isBlock = (source: Values[string]): source is Extract<Values[string], { values?: unknown }> & { values?: Values; same?: Same[] } =>
  typeof source === 'object' && !Array.isArray(source) && ('block' in source || 'blocks' in source);

/** The attribute paths that the sources of a type fill. */
const filled = (values: Readonly<Values> = {}, same: readonly Same[] = [], before = ''): string[] => [
  ...Object.entries(values).flatMap(([name, source]) => [
    `${before}${name}`,
    ...(isBlock(source) ? filled(source.values, source.same, `${before}${name}.`) : []),
  ]),
  ...same.flatMap((entry) =>
    typeof entry === 'string' ? [`${before}${entry}`] : [`${before}${entry.block}`, ...filled({}, entry.same, `${before}${entry.block}.`)],
  ),
];

const blocksOf = (values: Readonly<Values> = {}, same: readonly Same[] = [], before = ''): string[] => [
  ...Object.entries(values).flatMap(([name, source]) =>
    isBlock(source) ? [`${before}${name}`, ...blocksOf(source.values, source.same, `${before}${name}.`)] : [],
  ),
  ...same.flatMap((entry) =>
    typeof entry === 'string' ? [] : [`${before}${entry.block}`, ...blocksOf({}, entry.same, `${before}${entry.block}.`)],
  ),
];

/** What a table fills of each type, by things, what they tell beside, and calls about them. */
export const toldTypes = (provider: CloudTable['provider']): ToldType[] =>
  cloudTable(provider).things.flatMap((thing) => [
    ...[thing, ...thing.more, ...thing.calls.flatMap(({ more }) => more)].map((made) => ({
      type: made.type,
      paths: filled(made.values, made.same),
      blocks: blocksOf(made.values, made.same),
      never: made.never,
      isListed: LISTING.has(provider) && (isTold(thing) || !([thing, ...thing.more] as readonly Made[]).includes(made)),
    })),
    ...thing.calls.map(({ values, same }) => ({
      type: thing.type,
      paths: filled(values, same),
      blocks: blocksOf(values, same),
      never: [],
      isListed: false,
    })),
  ]);

/** Whether a thing stands in lists. */
const isTold = ({ answer, summary }: Thing): boolean => answer.length + summary.length > 0;
