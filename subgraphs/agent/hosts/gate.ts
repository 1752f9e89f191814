import type { AgentGate } from '../../../kit/engine/agent-gate.js';
import { enroll } from './enroll.js';
import { agentHosts, hostRowId } from './records.js';
import { accept, known } from './report.js';

const NAME = /^([^/\s]{1,200})\/(agt_[A-Za-z0-9_-]{16})$/;

/** The way in for the agents of hosts. */
export const agentGate: AgentGate = {
  enroll,
  known,
  accept,
  async find({ database }, name) {
    const [, tenant_id, agent_id] = NAME.exec(name) ?? [];
    if (tenant_id === undefined || agent_id === undefined) return null;
    const row = await database
      .tenant(tenant_id)
      .collection(agentHosts)
      .findOne({ _id: hostRowId(tenant_id, agent_id) });
    return row && { tenant_id, agent_id, hostname: row.hostname, public_key: row.public_key };
  },
};
