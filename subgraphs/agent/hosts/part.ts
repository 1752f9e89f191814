import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import type { RetentionRule } from '../../../kit/engine/retention-rule.js';
import { listHosts, removeHost, type HostFilter } from './list.js';
import { agentEnrollmentTokens, agentHosts, agentReports } from './records.js';
import { reportedHosts } from './reported.js';
import { createEnrollmentToken } from './token.js';

/** Which reports of agents were taken goes with their runs. */
const reportRetention: RetentionRule = {
  what: 'reports of host agents',
  setting: 'run_retention_days',
  standard: 90,
  collection: agentReports,
  time: 'received_at',
};

/** Hosts whose agents send reports. */
export const hosts: EnginePart = {
  prefixes: ['agent'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      agent_hosts: (_, args: HostFilter, context) => listHosts(context, args),
      agent_hosts_model: (_, { hostname }: { hostname: string[] }, context) => reportedHosts(context, hostname),
    },
    Mutation: {
      create_enrollment_token: (_, args: { input: unknown }, context) => createEnrollmentToken(context, args.input),
      remove_agent_host: (_, args: { agent_id: string }, context) => removeHost(context, args.agent_id),
    },
  },
  routes: [
    { method: 'GET', path: '/agent/hosts', field: 'agent_hosts', tag: 'agent' },
    { method: 'POST', path: '/agent/enrollment-tokens', field: 'create_enrollment_token', status: 201, tag: 'agent' },
    { method: 'DELETE', path: '/agent/hosts/{agent_id}', field: 'remove_agent_host', status: 204, tag: 'agent' },
  ],
  collections: [agentHosts, agentEnrollmentTokens, agentReports],
  retention: [reportRetention],
};
