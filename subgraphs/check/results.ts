import { badRequest } from '../../kit/base/errors.js';
import type { EngineContext, IngestSinks } from '../../kit/engine/context.js';
import type { EvaluatedFinder } from '../../kit/engine/ingest-input.js';
import { readRule } from '../../kit/read/rules.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import { RULE_VERDICTS, type RuleVerdict } from '../../kit/engine/rule-results.js';
import { forgetResults, recordResults, ruleResults, type ResourceResultsRow } from '../../kit/findings/rule-results.js';

export interface RuleResultFilter extends PageArguments {
  rule_id: string;
  result?: RuleVerdict[] | null;
  provider?: string[] | null;
  account_id?: string[] | null;
  resource_type?: string[] | null;
}

/** Stores what a run's evaluation said of resources. */
export const takeResults: IngestSinks['results'] = ({ services, auth }, run, results) =>
  recordResults(services.database, auth.tenant_id, run, results);

export const dropResults: IngestSinks['forgetResults'] = ({ services, auth }, run, scope) =>
  forgetResults(services.database, auth.tenant_id, run, scope);

/** Which of these resources have results. */
export const findEvaluated: EvaluatedFinder = async ({ database }, tenantId, resourceUids) => {
  const rows = database.tenant(tenantId).collection(ruleResults);
  return (await rows.find({ resource_uid: { $in: resourceUids } }, { fields: ['resource_uid'] })).map(({ resource_uid }) => resource_uid);
};

/** The results of one rule, a row a resource, by resource_uid; null for a rule that the tenant does not know. */
export async function listRuleResults(context: EngineContext, args: RuleResultFilter) {
  const window = pageWindow(args);
  const unknown = args.result?.find((result) => !RULE_VERDICTS.includes(result));
  if (unknown !== undefined) throw badRequest(`result is one of ${RULE_VERDICTS.join(', ')}`);
  const { rule_id } = args;
  const condition: Record<string, unknown> = { 'results.rule_id': rule_id };
  if (args.result) condition['results'] = { $elemMatch: { rule_id, result: { $in: args.result } } };
  for (const field of ['provider', 'account_id', 'resource_type'] as const) if (args[field]) condition[field] = { $in: args[field] };
  const rows = context.collection(ruleResults);
  const [found, total] = await Promise.all([
    rows.find(condition, { sort: { resource_uid: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  if (total === 0 && !(await readRule(context, rule_id))) return null;
  return toPage(
    found.map((row) => item(row, rule_id)),
    total,
    window,
  );
}

function item({ results, ...row }: ResourceResultsRow, ruleId: string) {
  const { result, reason } = results.find(({ rule_id }) => rule_id === ruleId)!;
  return { ...row, rule_id: ruleId, result, reason: reason ?? null };
}
