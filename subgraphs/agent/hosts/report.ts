import { systemAuthContext, type AuthContext } from '../../../kit/base/auth-context.js';
import { conflict, unauthenticated } from '../../../kit/base/errors.js';
import type { AcceptedReport, AgentGate, AgentServices, KnownAgent, SignedReport } from '../../../kit/engine/agent-gate.js';
import { defineOperation, runOperation } from '../../../kit/engine/operation.js';
import { readTenantPlan } from '../../../kit/read/tenant-plan.js';
import { agentHosts, agentReports, digestOf, hostRowId, reportRowId, type AgentReportRow } from './records.js';

/** What is remembered of the sendings of one report. */
const MOST_SIGNATURES = 20;
const DUPLICATE_KEY = 11000;

type Run = Pick<AcceptedReport, 'scan_run_id' | 'state'> & { format: string };

const importRun = defineOperation<Record<string, unknown>, Run>(
  'scans',
  `mutation($upload_id: ID!, $scan_run_id: String, $format: String, $artifact: String, $provider: Provider, $host: String) {
    result: import_report(upload_id: $upload_id, scan_run_id: $scan_run_id, format: $format, artifact: $artifact, provider: $provider, host: $host) {
      scan_run_id state format
    }
  }`,
);
const readRun = defineOperation<{ id: string }, Run | null>(
  'scans',
  'query($id: String!) { result: scan_run(scan_run_id: $id) { scan_run_id state format } }',
);

/** As whom an agent imports: with the plan of its tenant as it is now, and no right but that of imports. */
async function authOf({ caller }: AgentServices, { tenant_id, agent_id, hostname }: KnownAgent, ip_address: string): Promise<AuthContext> {
  const none = systemAuthContext({ tenant_id, organization_id: 'system', plan: 'starter' }, 'viewer', []);
  const tenant = await readTenantPlan({ auth: none, services: { caller } });
  if (!tenant) throw unauthenticated('The agent is not known');
  const auth = systemAuthContext({ tenant_id, ...tenant }, 'analyst', ['scans:create', 'scans:read']);
  return { ...auth, name: hostname, agent_id, ip_address };
}

const stored = ({ database }: Pick<AgentServices, 'database'>, { tenant_id, agent_id }: KnownAgent, report_id: string) => ({
  rows: database.tenant(tenant_id).collection(agentReports),
  _id: reportRowId(tenant_id, agent_id, report_id),
});

/** @throws PalisadeError UNAUTHENTICATED for a signature that was seen before, CONFLICT for other bytes under the same id */
function assertSame(row: AgentReportRow, { sha256, signature, report_id }: SignedReport): void {
  if (row.signatures.includes(digestOf(signature))) throw unauthenticated('The report was sent before under this signature');
  if (row.sha256 !== sha256) throw conflict(`report_id names another report of this agent: ${report_id}`, { scan_run_id: row.scan_run_id });
}

export const known: AgentGate['known'] = async (services, agent, report) => {
  const { rows, _id } = stored(services, agent, report.report_id);
  const row = await rows.findOne({ _id });
  if (!row) return null;
  assertSame(row, report);
  await rows.update({ _id }, { $push: { signatures: { $each: [digestOf(report.signature)], $slice: -MOST_SIGNATURES } } });
  const run = await runOperation({ auth: await authOf(services, agent, ''), services }, readRun, { id: row.scan_run_id });
  return { report_id: report.report_id, scan_run_id: row.scan_run_id, state: run?.state ?? 'EXPIRED' };
};

export const accept: AgentGate['accept'] = async (services, agent, report, upload_id, ip_address) => {
  const { tenant_id, agent_id, hostname } = agent;
  const auth = await authOf(services, agent, ip_address);
  const scan_run_id = `${agent_id}.${report.report_id}`;
  const variables = { upload_id, scan_run_id, format: report.format || null, artifact: hostname, host: hostname };
  const run = await runOperation({ auth, services }, importRun, variables);
  const { rows, _id } = stored(services, agent, report.report_id);
  const received_at = services.clock.now();
  const row = { _id, tenant_id, agent_id, sha256: report.sha256, scan_run_id, signatures: [digestOf(report.signature)], received_at };
  await rows.insert(row).catch((error: unknown) => {
    // another sending of the same came first, and began the same run
    if ((error as { code?: number }).code !== DUPLICATE_KEY) throw error;
  });
  const last = { last_report_at: received_at, last_format: run.format, last_scan_run_id: run.scan_run_id };
  await services.database
    .tenant(tenant_id)
    .collection(agentHosts)
    .update({ _id: hostRowId(tenant_id, agent_id) }, { $set: last });
  return { report_id: report.report_id, scan_run_id: run.scan_run_id, state: run.state };
};
