import type { Severity } from '../../schema/model.js';
import type { ControlReference, Reference, Remediation } from '../../schema/observations.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'rules', engine: 'rules' };

/** What other engines read of a rule: the catalog's with the tenant's settings, the tenant's own, or one that a report brought along. */
export interface ReadRule {
  rule_id: string;
  title: string;
  severity: Severity | null;
  enabled: boolean;
  description: string | null;
  rationale: string | null;
  remediation: (Remediation & { effort?: string }) | null;
  references: Reference[] | null;
  controls: ControlReference[] | null;
}

const byIds = defineReadOperation<{ ids: readonly string[] }, (ReadRule | null)[]>(
  model,
  `query($ids: [ID!]!) { result: rules_model(rule_ids: $ids) {
    rule_id title severity enabled description rationale remediation references controls
  } }`,
);

/** Rules asked for at once. */
const AT_ONCE = 200;

/** Rules by id, in the order asked for; null for what is no rule of the tenant. @throws as `readModel` */
export async function readRules(context: EngineContext, ids: readonly string[], timeoutMs?: number): Promise<(ReadRule | null)[]> {
  const found: (ReadRule | null)[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE)
    found.push(...(await readModel(context, byIds, { ids: ids.slice(start, start + AT_ONCE) }, timeoutMs)));
  return found;
}

/** One rule, or null. @throws as `readModel` */
export async function readRule(context: EngineContext, id: string, timeoutMs?: number): Promise<ReadRule | null> {
  const [rule] = await readRules(context, [id], timeoutMs);
  return rule ?? null;
}
