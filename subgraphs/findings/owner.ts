import type { EngineContext } from '../../kit/engine/context.js';
import { notFound } from '../../kit/base/errors.js';
import type { FindingFacts } from '../../kit/engine/finding-facts.js';
import { presentOwner } from '../../kit/findings/present-owner.js';
import { findingRowId, findings } from '../../kit/findings/row.js';
import { askHolder as askEngineOrHolder, engineOfSegment, type FindingRecord } from '../../kit/read/findings.js';
import { readRule, type ReadRule } from '../../kit/read/rules.js';

type Asked = 'record' | 'timeline' | 'setStatus' | 'setTicket';

/**
 * Asks the engine of a view segment about one finding, or the engine that holds it now where it has moved on from there.
 * @throws PalisadeError NOT_FOUND for a segment of no engine; else as `askFindings`
 */
export const askHolder = <Name extends Asked>(
  context: EngineContext,
  segment: string,
  name: Name,
  variables: Parameters<typeof askEngineOrHolder<Name>>[3],
): ReturnType<typeof askEngineOrHolder<Name>> => askEngineOrHolder(context, engineOfSegment(context, segment), name, variables);

/** The rule behind a finding; null when there is none, or when it cannot be had in time: the finding is shown all the same. */
export const ruleOf = (context: EngineContext, { finding }: FindingRecord): Promise<ReadRule | null> =>
  readRule(context, finding.rule_id, context.services.config.FAN_OUT_TIMEOUT_MS).catch(() => null);

/**
 * The engine that holds a finding: that of the view segment, which the caller may read, or the one that it has moved to from there.
 * @throws PalisadeError NOT_FOUND
 */
export async function holderOf(context: EngineContext, segment: string, id: string): Promise<FindingFacts> {
  const { auth, services } = context;
  const asked = engineOfSegment(context, segment);
  const rows = services.database.tenant(auth.tenant_id).engine(asked).collection(findings);
  const isThere = await rows.findOne({ _id: findingRowId(auth.tenant_id, asked, id) }, { fields: ['_id'] });
  const holder = isThere ? asked : await presentOwner(services, auth, asked, id);
  const facts = services.findingEngines.find(({ engine }) => engine === holder);
  if (!facts) throw notFound('Finding');
  return facts;
}
