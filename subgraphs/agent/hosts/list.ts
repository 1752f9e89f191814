import type { EngineContext } from '../../../kit/engine/context.js';
import { notFound } from '../../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { agentHosts, agentReports, hostRowId, type AgentHostRow } from './records.js';

/** An agent that was not heard of for longer is silent: unit files send a report a day. */
const SILENT_AFTER = 3 * 86_400_000;

export interface HostFilter extends PageArguments {
  agent_id?: string[] | null;
  hostname?: string[] | null;
  health?: ('healthy' | 'silent' | 'waiting')[] | null;
}

/** The enrolled agents, by the names of their hosts. */
export async function listHosts(context: EngineContext, { agent_id, hostname, health, ...args }: HostFilter) {
  const window = pageWindow(args);
  const before = new Date(context.services.clock.now().getTime() - SILENT_AFTER);
  const ofHealth = {
    healthy: { last_report_at: { $gte: before } },
    silent: { last_report_at: { $lt: before } },
    waiting: { last_report_at: null },
  } as const;
  const condition = {
    ...(agent_id && { agent_id: { $in: agent_id } }),
    ...(hostname && { hostname: { $in: hostname.map((name) => name.toLowerCase()) } }),
    ...(health && { $or: health.map((one) => ofHealth[one]) }),
  };
  const rows = context.collection(agentHosts);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { hostname: 1, agent_id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  const healthOf = ({ last_report_at }: AgentHostRow) =>
    last_report_at === null ? 'waiting' : last_report_at < before ? 'silent' : 'healthy';
  return toPage(
    items.map((row) => ({ ...row, health: healthOf(row) })),
    total,
    window,
  );
}

/** Removes an agent: what it signs from now on is refused. What it has reported stays. @throws PalisadeError NOT_FOUND */
export function removeHost(context: EngineContext, agentId: string): Promise<boolean> {
  const { auth } = context;
  return context.transaction(async (transaction) => {
    const rows = context.collection(agentHosts);
    const _id = hostRowId(auth.tenant_id, agentId);
    const host = await rows.findOne({ _id }, { transaction });
    if (!host) throw notFound('Agent');
    await rows.remove({ _id }, { transaction });
    await context.collection(agentReports).remove({ agent_id: agentId }, { transaction });
    await context.audit(transaction, {
      action: 'agent.remove',
      actor_email: auth.email,
      role: auth.role,
      ip_address: auth.ip_address,
      target: `agent:${agentId}`,
      result: 'success',
      detail: { hostname: host.hostname },
    });
    return true;
  });
}
