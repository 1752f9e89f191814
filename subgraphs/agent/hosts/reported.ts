import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { agentHosts, type AgentHostRow } from './records.js';

/** Names that are asked about at once, and hosts that are answered. */
const MOST_NAMES = 200;
const MOST_HOSTS = 1_000;

/** The enrolled hosts of these names, one of both perhaps with its domain behind it. @throws PalisadeError BAD_REQUEST for too many */
export async function reportedHosts(context: EngineContext, names: readonly string[]): Promise<AgentHostRow[]> {
  if (names.length > MOST_NAMES) throw badRequest(`at most ${MOST_NAMES} hostnames`);
  const own = names.map((name) => name.toLowerCase());
  const short = own.flatMap((name) => (name.includes('.') ? name.split('.', 1)[0]! : []));
  const behind = own.filter((name) => name !== '' && !name.includes('.'));
  // `/` is the character behind the dot
  const long = behind.map((name) => ({ hostname: { $gte: `${name}.`, $lt: `${name}/` } }));
  const condition = { $or: [{ hostname: { $in: [...new Set([...own, ...short])] } }, ...long] };
  return context.collection(agentHosts).find(condition, { sort: { hostname: 1, agent_id: 1 }, limit: MOST_HOSTS });
}
