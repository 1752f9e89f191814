import type { Provider, Severity } from '../../schema/model.js';
import type { EngineContext } from '../_kit/context.js';
import { pageWindow, toPage, type PageArguments } from '../_kit/paging.js';
import { containsText } from '../_kit/text-filter.js';
import { ruleRowId, rules, type RuleRow } from './records.js';

export interface RuleFilter extends PageArguments {
  engine?: string[] | null;
  provider?: Provider[] | null;
  severity?: Severity[] | null;
  source?: string[] | null;
  q?: string | null;
}

export async function listRules(context: EngineContext, args: RuleFilter) {
  const window = pageWindow(args);
  const condition: Record<string, unknown> = {};
  for (const field of ['engine', 'provider', 'severity', 'source'] as const) if (args[field]) condition[field] = { $in: args[field] };
  if (args.q) Object.assign(condition, containsText(['rule_id', 'title', 'description'], args.q));
  const rows = context.collection(rules);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { rule_id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}

export function findRule(context: EngineContext, ruleId: string): Promise<RuleRow | null> {
  return context.collection(rules).findOne({ _id: ruleRowId(context.auth.tenant_id, ruleId) });
}

export async function findRules(context: EngineContext, ruleIds: readonly string[]): Promise<(RuleRow | null)[]> {
  const rows = await context.collection(rules).find({ _id: { $in: ruleIds.map((id) => ruleRowId(context.auth.tenant_id, id)) } });
  const byId = new Map(rows.map((row) => [row.rule_id, row]));
  return ruleIds.map((id) => byId.get(id) ?? null);
}
