import type { IngestSinks } from '../../kit/engine/context.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { ruleRowId, rules } from './records.js';

/** Stores the rules that a report brought along; the latest report wins. */
export const ingestRules: IngestSinks['rules'] = async (context, batch) => {
  const updated_at = context.services.clock.now();
  const updates = batch.map((rule) => {
    const severity = rule.severity ?? null;
    const row = {
      rule_id: rule.rule_id,
      engine: rule.engine,
      title: rule.title,
      description: rule.description ?? null,
      rationale: rule.rationale ?? null,
      severity,
      severity_rank: severity ? severityRank(severity) : 0,
      provider: rule.provider ?? null,
      resource_type: rule.resource_type ?? null,
      source: rule.source,
      remediation: rule.remediation ?? null,
      references: rule.references ?? [],
      controls: rule.controls ?? [],
      mitre_techniques: rule.mitre_techniques ?? [],
      mitre_tactics: rule.mitre_tactics ?? [],
      tags: rule.tags ?? [],
      updated_at,
    };
    return { _id: ruleRowId(context.auth.tenant_id, rule.rule_id), update: { $set: row }, upsert: true };
  });
  await context.collection(rules).bulkUpdate(updates);
};
