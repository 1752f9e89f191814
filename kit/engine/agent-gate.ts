import type { EngineServices } from './context.js';

/** What the gate needs of a process. */
export type AgentServices = Pick<EngineServices, 'database' | 'masterKey' | 'clock' | 'caller'>;

/** A host agent that may send reports. */
export interface KnownAgent {
  readonly tenant_id: string;
  readonly agent_id: string;
  /** The host that its reports must be of. */
  readonly hostname: string;
  /** Ed25519, the 32 bytes in base64url (RFC 8037). */
  readonly public_key: string;
}

/** A report as its headers tell it; all of it is signed. */
export interface SignedReport {
  readonly report_id: string;
  /** ISO 8601. */
  readonly time: string;
  /** Of the body's bytes, in hex. */
  readonly sha256: string;
  /** Name of the format; empty where it is to be found out. */
  readonly format: string;
  /** In base64url. */
  readonly signature: string;
}

/** What becomes of a report: the answer to the agent. */
export interface AcceptedReport {
  readonly report_id: string;
  readonly scan_run_id: string;
  readonly state: string;
}

/**
 * The way in for host agents: `POST /api/agent/enroll` and `/api/agent/reports` (decision 46). The gateway limits calls, checks signatures and stages the body;
 * the engine knows agents, and makes a scan run of a report.
 */
export interface AgentGate {
  /** Trades a token for the identity of an agent. @throws PalisadeError UNAUTHENTICATED for a token that does not hold, VALIDATION_ERROR */
  enroll(services: AgentServices, body: unknown, ipAddress: string): Promise<object>;
  /** The agent of this name, `<tenant>/<agent>`; null for one that there is not, or no more. */
  find(services: Pick<AgentServices, 'database'>, name: string): Promise<KnownAgent | null>;
  /** The run that an earlier sending of a report began; null for one that is new. @throws PalisadeError CONFLICT where its bytes differ, UNAUTHENTICATED for a replay */
  known(services: AgentServices, agent: KnownAgent, report: SignedReport): Promise<AcceptedReport | null>;
  /** Begins the run of a report that was staged. @throws PalisadeError as an import is refused */
  accept(services: AgentServices, agent: KnownAgent, report: SignedReport, uploadId: string, ipAddress: string): Promise<AcceptedReport>;
}

/** What is signed of a report, a line each: whoever holds the key says when, which report, of which bytes, of which host and format. */
export const signedText = (
  agent: Pick<KnownAgent, 'tenant_id' | 'agent_id' | 'hostname'>,
  report: Omit<SignedReport, 'signature'>,
): string =>
  [
    'palisade-agent-report-v1',
    `${agent.tenant_id}/${agent.agent_id}`,
    report.report_id,
    report.time,
    report.sha256,
    agent.hostname,
    report.format,
  ].join('\n');

/** What is signed at enrollment, with the key that is to be enrolled: who enrolls a key holds it. */
export const enrollmentText = (token: string, hostname: string, publicKey: string): string =>
  ['palisade-agent-enrollment-v1', token, hostname, publicKey].join('\n');
