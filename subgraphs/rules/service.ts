import { loadFrameworks, rulesOfControl } from '../../catalog/assessed.js';
import { findCatalogRule, loadCatalog } from '../../catalog/catalog.js';
import { findProfile } from '../../catalog/profiles.js';
import { familiesByName } from '../../catalog/tenant-catalog.js';
import { textsOf } from '../../catalog/texts.js';
import type { Rule } from '../../catalog/types.js';
import type { Provider, Severity } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { pageWindow, toPage, type Page, type PageArguments } from '../../kit/store/paging.js';
import { containsText } from '../../kit/store/text-filter.js';
import { customRules, ruleRowId, ruleSettings, rules, type RuleSettingsRow } from './records.js';
import { CATALOG_SOURCE, CUSTOM_SOURCE, catalogView, customView, reportedView, type RuleView } from './rule.js';

export interface RuleFilter extends PageArguments {
  engine?: string[] | null;
  provider?: Provider[] | null;
  severity?: Severity[] | null;
  source?: string[] | null;
  family?: string[] | null;
  resource_type?: string[] | null;
  framework?: string[] | null;
  profile?: string[] | null;
  enabled?: boolean | null;
  q?: string | null;
}

let searchTexts: ReadonlyMap<string, string> | undefined;

/** What `q` looks in: id, title and description, in lower case. Made once a process. */
function searchTextOf(rule: Rule): string {
  if (searchTexts === undefined) {
    const { families, rules } = loadCatalog();
    const named = familiesByName(families);
    searchTexts = new Map(
      rules.map((known) => {
        const { title, description } = textsOf(known, named.get(known.family)!);
        return [known.rule_id, `${known.rule_id}\n${title}\n${description}`.toLowerCase()];
      }),
    );
  }
  return searchTexts.get(rule.rule_id)!;
}

let sorted: readonly Rule[] | undefined;
const sortedRules = (): readonly Rule[] =>
  (sorted ??= [...loadCatalog().rules].sort((a, b) => (a.rule_id < b.rule_id ? -1 : a.rule_id > b.rule_id ? 1 : 0)));

/** The catalog's rules that a filter selects, by id. */
function catalogMatches(args: RuleFilter, settings: ReadonlyMap<string, RuleSettingsRow>): Rule[] {
  if (args.source && !args.source.includes(CATALOG_SOURCE)) return [];
  const assessed = args.framework && new Set(frameworkRules(args.framework));
  const profiles = args.profile?.flatMap((name) => findProfile(name) ?? []);
  const text = args.q?.toLowerCase();
  return sortedRules().filter((rule) => {
    const own = settings.get(rule.rule_id);
    return (
      (!args.engine || args.engine.includes(rule.engine)) &&
      (!args.provider || args.provider.includes(rule.provider)) &&
      (!args.severity || args.severity.includes(own?.severity ?? rule.severity)) &&
      (!args.family || args.family.includes(rule.family)) &&
      (!args.resource_type || args.resource_type.some((type) => rule.resource_types.includes(type))) &&
      (!assessed || assessed.has(rule.rule_id)) &&
      (!profiles || profiles.some((profile) => profile.has(rule))) &&
      (args.enabled == null || args.enabled === (own?.enabled ?? true)) &&
      (!text || searchTextOf(rule).includes(text))
    );
  });
}

const frameworkRules = (ids: readonly string[]): string[] =>
  loadFrameworks()
    .filter(({ framework_id }) => ids.includes(framework_id))
    .flatMap(({ controls, providers }) => controls.flatMap((control) => rulesOfControl(control, providers)))
    .map(({ rule_id }) => rule_id);

/** The tenant's changes of catalog rules, by rule. */
export async function settingsOf(context: EngineContext, ruleIds?: readonly string[]): Promise<Map<string, RuleSettingsRow>> {
  const rows = await context.collection(ruleSettings).find(ruleIds ? { rule_id: { $in: ruleIds } } : {});
  return new Map(rows.map((row) => [row.rule_id, row]));
}

interface Section {
  total: number;
  rows(skip: number, limit: number): Promise<RuleView[]>;
}

/** The tenant's own rules, then the catalog's, then those that reports brought along; each by id. */
export async function listRules(context: EngineContext, args: RuleFilter): Promise<Page<RuleView>> {
  const window = pageWindow(args);
  const settings = await settingsOf(context);
  const matching = catalogMatches(args, settings);
  const sections: Section[] = [
    await storedSection(context, customRules, customCondition(args), customView),
    {
      total: matching.length,
      rows: async (skip, limit) => matching.slice(skip, skip + limit).map((rule) => catalogView(rule, settings.get(rule.rule_id))),
    },
    await storedSection(context, rules, reportedCondition(args), reportedView),
  ];
  const items: RuleView[] = [];
  let { skip } = window;
  for (const { total, rows } of sections) {
    const wanted = window.limit - items.length;
    if (wanted > 0 && skip < total) items.push(...(await rows(skip, wanted)));
    skip = Math.max(0, skip - total);
  }
  const total = sections.reduce((sum, section) => sum + section.total, 0);
  return toPage(items, total, window);
}

async function storedSection<T extends object>(
  context: EngineContext,
  collection: Parameters<typeof context.collection<T>>[0],
  condition: Record<string, unknown> | null,
  view: (row: T) => RuleView,
): Promise<Section> {
  if (condition === null) return { total: 0, rows: async () => [] };
  const rows = context.collection(collection);
  return {
    total: await rows.count(condition),
    rows: async (skip, limit) => (await rows.find(condition, { sort: { rule_id: 1 }, skip, limit })).map(view),
  };
}

function customCondition(args: RuleFilter): Record<string, unknown> | null {
  if (args.family || args.framework || args.profile || args.enabled === false || (args.source && !args.source.includes(CUSTOM_SOURCE)))
    return null;
  const condition: Record<string, unknown> = { current: true };
  for (const field of ['engine', 'provider', 'severity'] as const) if (args[field]) condition[field] = { $in: args[field] };
  if (args.resource_type) condition['resource_types'] = { $in: args.resource_type };
  return args.q ? { ...condition, ...containsText(['rule_id', 'title', 'description'], args.q) } : condition;
}

function reportedCondition(args: RuleFilter): Record<string, unknown> | null {
  if (args.family || args.framework || args.profile || args.enabled === false) return null;
  const condition: Record<string, unknown> = {};
  for (const field of ['engine', 'provider', 'severity', 'source', 'resource_type'] as const)
    if (args[field]) condition[field] = { $in: args[field] };
  return args.q ? { ...condition, ...containsText(['rule_id', 'title', 'description'], args.q) } : condition;
}

export async function findRule(context: EngineContext, ruleId: string): Promise<RuleView | null> {
  const [rule] = await findRules(context, [ruleId]);
  return rule ?? null;
}

/** Rules by id, in the order asked for. A retired rule of the tenant's own is still found by its findings. */
export async function findRules(context: EngineContext, ruleIds: readonly string[]): Promise<(RuleView | null)[]> {
  const found = new Map<string, RuleView>();
  const catalogIds = ruleIds.filter((id) => findCatalogRule(id) !== undefined);
  const others = ruleIds.filter((id) => findCatalogRule(id) === undefined);
  if (catalogIds.length > 0) {
    const settings = await settingsOf(context, catalogIds);
    for (const id of catalogIds) found.set(id, catalogView(findCatalogRule(id)!, settings.get(id)));
  }
  if (others.length > 0) {
    const [reported, own] = await Promise.all([
      context.collection(rules).find({ _id: { $in: others.map((id) => ruleRowId(context.auth.tenant_id, id)) } }),
      context.collection(customRules).find({ rule_id: { $in: others } }, { sort: { version: 1 } }),
    ]);
    for (const row of reported) found.set(row.rule_id, reportedView(row));
    for (const row of own) found.set(row.rule_id, customView(row));
  }
  return ruleIds.map((id) => found.get(id) ?? null);
}
