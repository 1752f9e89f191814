import { conjunctsOf, type Filter } from '../query/ast.js';
import { compileFilter } from '../query/match.js';
import { documentOf } from '../bson/write.js';
import type { Collection } from '../storage/collection.js';
import type { View } from '../storage/database.js';
import type { Index, KeyRange } from '../storage/index.js';
import { boundsOf, intersect, rangeOf, type FieldBounds, type Interval } from './bounds.js';
import { keyTestOf } from './key-test.js';
import { pickBest, type Candidate } from './pick.js';
import type { Plan, PointLookup } from './plan.js';
import type { SortField } from './sort.js';

const MAX_RANGES = 2000;
const MAX_MERGED = 200;
/** Chooses the plan for a filter and a sort. `hint` is an index name that must serve, or undefined. */
export async function choosePlan(
  collection: Collection,
  view: View,
  filter: Filter,
  sort: readonly SortField[],
  hint?: string,
): Promise<Plan> {
  const bounds = boundsOf(filter);
  if (hint === undefined) {
    const ids = bounds.find((b) => b.path === '_id' && b.points && b.source.kind !== 'elemMatchValue');
    if (ids) return { kind: 'ids', ids: ids.intervals.map((i) => i.low.key) };
    const single = uniqueLookup(collection, bounds, filter);
    if (single) return single;
  }
  const built = collection.indexes.filter((i) => i.built && (hint === undefined || i.spec.name === hint));
  const candidates = built.flatMap((index) => candidateOf(index, bounds, filter, sort, hint !== undefined) ?? []);
  const best = await pickBest(collection, view, candidates, bounds, sort.length > 0);
  if (best && (best.score > 0 || hint !== undefined)) return best;
  return (await orPlan(collection, view, filter)) ?? best ?? { kind: 'collection' };
}

/** A unique index whose every field is equal to one value: no other plan can be better. */
function uniqueLookup(collection: Collection, bounds: readonly FieldBounds[], filter: Filter): PointLookup | undefined {
  for (const index of collection.indexes) {
    if (!index.unique || !index.built) continue;
    const fixed = index.components.every(({ path }) => bounds.some((b) => b.path === path.text && b.points && b.intervals.length === 1));
    const scan = fixed ? candidateOf(index, bounds, filter, [], false) : undefined;
    if (scan?.ranges.length === 1 && scan.score === 2 * index.components.length) return { kind: 'point', index, key: scan.ranges[0]!.low };
  }
  return undefined;
}

/** Whether an index holds every document that can match. */
function holdsAll(index: Index, bounds: readonly FieldBounds[], filter: Filter): boolean {
  if (index.spec.sparse && !bounds.some((b) => !b.allowsMissing && index.components.some((c) => c.path.text === b.path))) return false;
  return !index.partial || conjunctsOf(index.partial).every((condition) => implies(bounds, filter, condition));
}

/** Whether the filter's conditions prove a condition of a partial index. */
function implies(bounds: readonly FieldBounds[], filter: Filter, condition: Filter): boolean {
  if (condition.kind === 'constant') return condition.value;
  if (condition.kind === 'or') return condition.filters.some((f) => conjunctsOf(f).every((c) => implies(bounds, filter, c)));
  if (condition.kind === 'exists') {
    return (
      bounds.some((b) => b.path === condition.path.text && !b.allowsMissing) ||
      conjunctsOf(filter).some((f) => f.kind === 'exists' && f.path.text === condition.path.text)
    );
  }
  if (condition.kind === 'and' || condition.kind === 'nor' || condition.kind === 'not' || condition.kind === 'expression') return false;
  if (condition.path.names.length === 1) {
    const matches = compileFilter(condition);
    const name = condition.path.text;
    const pointValues = conjunctsOf(filter).map((f) => {
      if (f.kind === 'compare' && f.operator === '$eq' && f.path.text === name) return [f.value];
      return f.kind === 'in' && f.path.text === name ? f.values : undefined;
    });
    const proven = pointValues.some((values) => values !== undefined && values.every((value) => matches(documentOf([{ name, value }]), 0)));
    if (proven) return true;
  }
  const wanted = boundsOf(condition)[0];
  if (!wanted?.exact) return false;
  const covered = (b: FieldBounds): boolean => {
    const size = (i: readonly Interval[]): string =>
      i.map((x) => `${x.low.key}|${x.low.inclusive}|${x.high.key}|${x.high.inclusive}`).join(';');
    return b.path === wanted.path && size(intersect(b.intervals, wanted.intervals)) === size(b.intervals);
  };
  return bounds.some(covered);
}

function candidateOf(
  index: Index,
  bounds: readonly FieldBounds[],
  filter: Filter,
  sort: readonly SortField[],
  hinted: boolean,
): Candidate | undefined {
  if (!holdsAll(index, bounds, filter)) return undefined;
  const first = index.components[0]!.path.text;
  if (!hinted && !bounds.some((b) => b.path === first) && sort[0]?.path.text !== first) return undefined;
  let prefixes = [''];
  let ranges: KeyRange[] | undefined;
  let score = 0;
  let i = 0;
  let arrayBounded = false;
  const used = new Set<Filter>();
  const fixed = new Set<string>();
  /** The prefixes before each component. */
  const levels: (readonly string[])[] = [];
  for (; i < index.components.length && !ranges; i++) {
    levels[i] = prefixes;
    const { path, descending } = index.components[i]!;
    const isArray = index.arrayComponents.has(i);
    if (isArray && arrayBounded) break;
    const own = bounds.filter((b) => b.path === path.text);
    if (own.length === 0) break;
    arrayBounded ||= isArray;
    const chosen = isArray ? [own.find((b) => b.points) ?? own[0]!] : own;
    for (const b of chosen) if (b.exact) used.add(b.source);
    const intervals = chosen.map((b) => b.intervals).reduce(intersect);
    const points = chosen.some((b) => b.points);
    if (points && prefixes.length * intervals.length > MAX_RANGES) break;
    if (points) {
      prefixes = prefixes.flatMap((p) => intervals.map((x) => rangeOf(p, x, descending).low));
      if (intervals.length === 1 && !isArray) fixed.add(path.text);
      score += 2;
    } else {
      ranges = prefixes.flatMap((p) => intervals.map((x) => rangeOf(p, x, descending)));
      score += 1;
      i--;
    }
  }
  levels[i] ??= prefixes;
  const order = sortOrder(index, sort, i, fixed);
  const lengths = prefixLengths(ranges ?? prefixes, levels[order?.from ?? i]!);
  const sorted = order !== undefined && (ranges ?? prefixes).length <= MAX_MERGED;
  if (score === 0 && !hinted && !(sorted && sort.length > 0)) return undefined;
  const scanned =
    ranges ?? prefixes.map((p) => rangeOf(p, { low: { key: '', inclusive: true }, high: { key: '', inclusive: true } }, false));
  const merged = sorted && scanned.length > 1 && sort.some((s) => !fixed.has(s.path.text));
  const test = ranges || (order && order.from < i) ? undefined : keyTestOf(index, i, filter);
  if (test && score > 0) score += 0.5;
  if (test) used.add(test.condition);
  const exact = !index.multikey && conjunctsOf(filter).every((f) => used.has(f) || (f.kind === 'constant' && f.value));
  return { kind: 'index', index, ranges: scanned, prefixes: lengths, reverse: order?.reverse ?? false, sorted, merged, test, exact, score };
}

function prefixLengths(ranges: readonly unknown[], prefixes: readonly string[]): number[] {
  const each = prefixes.length === 0 ? 1 : ranges.length / prefixes.length;
  return ranges.map((_, r) => prefixes[Math.floor(r / each)]?.length ?? 0);
}

/**
 * From which component on, and in which direction, the index gives the sort; undefined when it does not. The components before it
 * are single values, whose ranges are merged; those of the sort itself may be bounded, too (`severity in (5, 4)` sorted by it).
 * @param end number of components that the filter bounds, one that it bounds by a range not counted
 */
function sortOrder(
  index: Index,
  sort: readonly SortField[],
  end: number,
  fixed: ReadonlySet<string>,
): { from: number; reverse: boolean } | undefined {
  const wanted = sort.filter((s) => !fixed.has(s.path.text));
  if (wanted.length === 0) return { from: end, reverse: false };
  const first = index.components.findIndex(({ path }) => path.text === wanted[0]!.path.text);
  const from = first === -1 ? end : Math.min(first, end);
  let reverse: boolean | undefined;
  for (let i = 0; i < wanted.length; i++) {
    const component = index.components[from + i];
    if (!component || component.path.text !== wanted[i]!.path.text || index.arrayComponents.has(from + i)) return undefined;
    const opposite = component.descending !== wanted[i]!.descending;
    if (reverse !== undefined && reverse !== opposite) return undefined;
    reverse = opposite;
  }
  return { from, reverse: reverse! };
}

async function orPlan(collection: Collection, view: View, filter: Filter): Promise<Plan | undefined> {
  for (const condition of conjunctsOf(filter)) {
    if (condition.kind !== 'or') continue;
    const branches = await Promise.all(condition.filters.map((f) => choosePlan(collection, view, f, [])));
    const usable = branches.filter((b) => b.kind === 'ids' || b.kind === 'index' || b.kind === 'point');
    if (usable.length === branches.length) return { kind: 'or', branches: usable };
  }
  return undefined;
}
