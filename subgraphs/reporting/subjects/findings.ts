import type { Permission } from '../../../schema/permissions.js';
import { BoundedCache } from '../../../kit/base/bounded-cache.js';
import { holds } from '../../../kit/base/auth-context.js';
import { invalid, missingPermission } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { runOperation } from '../../../kit/engine/operation.js';
import { everyFilter, type EngineFilter } from '../../../kit/findings/every-filter.js';
import { FINDING_ITEM, ITEM_FIELDS, STANDARD_COLUMNS } from '../../../kit/findings/item.js';
import { comparing, findingOrder, type Key } from '../../../kit/findings/order.js';
import { readModel, type ReadModel } from '../../../kit/read/read-model.js';
import { readRules, type ReadRule } from '../../../kit/read/rules.js';
import { listOf, textOf, type Column, type ExportFormat, type Row } from '../formats/format.js';
import { filteredQuery, toldOf, type Filter, type Owner, type Prepared, type Subject } from './subject.js';

/** The order of a file where none is asked for: by what never changes of a finding, so that none moves while the file is written, newest first. */
const STANDARD_SORT = '-first_seen_at';
/** Filters that ask the inventory which resources are meant, and what it takes to ask. */
const BY_RESOURCES: Readonly<Record<string, readonly Permission[]>> = {
  owner: ['inventory:read'],
  environment: ['inventory:read'],
  tag: ['inventory:read'],
  exposure: ['inventory:read', 'network:read'],
};
/** Findings of one engine that are read at a time: of each engine so many wait for their turn in the common order. */
const AT_ONCE = 500;
const WHOLE_AT_ONCE = 100;
/** Findings that are handed on at a time. */
const HANDED_ON = 200;

const KINDS: Readonly<Record<string, Column['kind']>> = { Int: 'number', Float: 'number', DateTime: 'date', Boolean: 'flag', JSON: 'json' };
const kindOf = (name: string): Column['kind'] => KINDS[FINDING_ITEM[name as keyof typeof FINDING_ITEM][0].replace('!', '')] ?? 'text';
/** The standard columns first, behind the engine that they do not name. */
const COLUMNS: readonly Column[] = [
  { name: 'engine', kind: 'text' },
  ...[...STANDARD_COLUMNS, ...ITEM_FIELDS.filter((field) => !(STANDARD_COLUMNS as readonly string[]).includes(field))]
    .filter((name) => name !== 'provider_metadata')
    .map((name) => ({ name, kind: kindOf(name) })),
];

const ROWS: ReadModel = { name: 'finding_rows', engine: 'findings' };

interface Batch {
  items: Row[];
  order: Key[];
  next: string | null;
}

/** The engines that a filter is about, of those that the caller may read. @throws PalisadeError FORBIDDEN, VALIDATION_ERROR */
function enginesOf({ auth, services }: EngineContext, { engine, not_engine }: EngineFilter, format: ExportFormat): string[] {
  const facts = (path: string, segment: string) => {
    const found = services.findingEngines.find(({ viewSegment }) => viewSegment === segment);
    if (!found) throw invalid([{ path: `findings.${path}`, message: `${segment} is not a view segment` }]);
    return found;
  };
  for (const segment of not_engine ?? []) facts('not_engine', segment);
  for (const segment of engine ?? []) {
    const { permission } = facts('engine', segment);
    if (!holds(auth, permission)) throw missingPermission(permission);
  }
  const asked = services.findingEngines.filter(
    ({ viewSegment, vulnerabilities }) =>
      (!engine || engine.includes(viewSegment)) &&
      !not_engine?.includes(viewSegment) &&
      (!format.vulnerabilities || vulnerabilities === true),
  );
  const readable = asked.filter(({ permission }) => holds(auth, permission));
  if (readable.length === 0) {
    if (asked[0]) throw missingPermission(asked[0].permission);
    throw invalid([{ path: 'findings.engine', message: `none of these engines has what ${format.label} tells` }]);
  }
  return readable.map((one) => one.engine);
}

async function prepare(context: EngineContext, { sort = STANDARD_SORT, ...asked }: Filter, format: ExportFormat): Promise<Prepared> {
  const { services } = context;
  const { engine, not_engine, ...filter } = asked as EngineFilter & Filter;
  const engines = enginesOf(context, { engine, not_engine }, format);
  await toldOf(
    'findings.sort',
    Promise.resolve().then(() => findingOrder(sort as string)),
  );
  const facts = services.findingEngines.filter((one) => engines.includes(one.engine));
  const query = filteredQuery({ field: 'findings', selection: 'total degradedEngines', others: { page_size: 'Int' } }, everyFilter(), {
    ...filter,
    engine: facts.map(({ viewSegment }) => viewSegment),
  });
  const variables = { ...filter, engine: facts.map(({ viewSegment }) => viewSegment), page_size: 1 };
  const operation = { engine: 'findings', query };
  const { total, degradedEngines } = await toldOf(
    'findings',
    runOperation<typeof variables, { total: number; degradedEngines: string[] }>(context, operation, variables),
  );
  const joined = Object.keys(BY_RESOURCES).filter((name) => filter[name] !== undefined || filter[`not_${name}`] !== undefined);
  const needed = joined.flatMap((name) => BY_RESOURCES[name]!);
  const permissions = [...new Set<Permission>(['check:read', ...needed, ...facts.map(({ permission }) => permission)])];
  return { filter: { ...filter, sort }, permissions, engines, total: degradedEngines.length === 0 ? total : null, title: 'Findings' };
}

/** One engine's findings in an order, as far as they were read. */
class EngineRows {
  private rows: Row[] = [];
  private order: Key[] = [];
  private at = 0;
  private after: string | null = null;
  private isOver = false;

  constructor(
    private readonly owner: Owner,
    private readonly engine: string,
    private readonly filter: Filter,
    private readonly whole: boolean,
  ) {}

  /** The finding whose turn it is; undefined behind the last. */
  get head(): Row | undefined {
    return this.rows[this.at];
  }

  /** By what it is put in order. */
  get key(): Key {
    return this.order[this.at]!;
  }

  shift(): void {
    this.at += 1;
  }

  /** Reads on where nothing that was read is left. */
  async fill(): Promise<void> {
    while (this.at === this.rows.length && !this.isOver) {
      const others = { of: 'String!', after: 'String', limit: 'Int!', whole: 'Boolean!', sort: 'String' };
      const query = filteredQuery({ field: 'finding_rows', selection: 'items order next', others }, everyFilter(), this.filter);
      const limit = this.whole ? WHOLE_AT_ONCE : AT_ONCE;
      const variables = { ...this.filter, of: this.engine, after: this.after, limit, whole: this.whole };
      const { items, order, next } = await readModel<typeof variables, Batch>(
        await this.owner(),
        { engine: 'findings', model: ROWS, query },
        variables,
      );
      [this.rows, this.order, this.at, this.after, this.isOver] = [items, order, 0, next, next === null];
    }
  }
}

/** The findings of several engines in their common order. */
async function* inOrder(engines: readonly EngineRows[], sort: string, most: number): AsyncGenerator<Row[]> {
  const compare = comparing(findingOrder(sort));
  for (const engine of engines) await engine.fill();
  let left = engines.filter(({ head }) => head !== undefined);
  let batch: Row[] = [];
  while (left.length > 0) {
    let first = left[0]!;
    for (const engine of left) if (compare(engine.key, first.key) < 0) first = engine;
    batch.push(first.head!);
    first.shift();
    if (first.head === undefined) {
      await first.fill();
      if (first.head === undefined) left = left.filter((engine) => engine !== first);
    }
    if (batch.length < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Adds what the rules of findings say and the findings do not say themselves. */
async function withRules(owner: Owner, known: BoundedCache<ReadRule | 'none'>, rows: readonly Row[]): Promise<Row[]> {
  const wanted = [...new Set(rows.map((row) => String(row['rule_id'])))].filter((id) => known.get(id) === undefined);
  const found = wanted.length === 0 ? [] : await readRules(await owner(), wanted);
  wanted.forEach((id, n) => known.set(id, found[n] ?? 'none'));
  return rows.map((row) => {
    const rule = known.get(String(row['rule_id']));
    if (rule === undefined || rule === 'none') return row;
    const orOf = (name: 'references' | 'controls') => (listOf(row[name]).length > 0 ? row[name] : rule[name]);
    return {
      ...row,
      description: row['description'] ?? rule.description,
      remediation: row['remediation'] ?? rule.remediation,
      references: orOf('references'),
      controls: orOf('controls'),
    };
  });
}

/** The findings of engines that a filter selects, as their list has them. */
export const findingsSubject: Subject = {
  kind: 'findings',
  columns: COLUMNS,
  prepare,
  async *read(owner, { filter, engines }, format) {
    const whole = format.whole === true;
    const sources = engines.map((engine) => new EngineRows(owner, engine, filter, whole));
    const known = new BoundedCache<ReadRule | 'none'>(2_000);
    for await (const rows of inOrder(sources, String(filter['sort'] ?? STANDARD_SORT), whole ? WHOLE_AT_ONCE : HANDED_ON)) {
      const meant = format.vulnerabilities ? rows.filter(({ cve }) => textOf(cve) !== null) : rows;
      yield whole ? await withRules(owner, known, meant) : meant;
    }
  },
};
