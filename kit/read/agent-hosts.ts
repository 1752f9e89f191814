import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'agent_hosts', engine: 'agent' };

/** A host whose agent is enrolled, and when it last reported (ISO 8601); null where it has not. */
export interface ReadAgentHost {
  hostname: string;
  last_report_at: string | null;
}

const named = defineReadOperation<{ hostname: readonly string[] }, ReadAgentHost[]>(
  model,
  'query($hostname: [String!]!) { result: agent_hosts_model(hostname: $hostname) { hostname last_report_at } }',
);

/** The enrolled hosts of these names, in lower case: one of both may have its domain behind it. At most 200 names. @throws as `readModel` */
export const readAgentHosts = async (context: EngineContext, hostname: readonly string[]): Promise<ReadAgentHost[]> =>
  hostname.length === 0 ? [] : readModel(context, named, { hostname });
