import { AGENT_PATHS } from '../gateway/agents.js';
import type { GatewayOperation } from './gateway-operation.js';
import type { JsonSchema } from './openapi-schemas.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

/** The way in for host agents, where an engine declares it. */
export const AGENT_OPERATIONS: readonly GatewayOperation[] = [
  {
    method: 'post',
    path: AGENT_PATHS.enroll,
    id: 'enroll_agent',
    tag: 'agent-ingest',
    summary: 'Enroll a host agent: a single-use enrollment token is traded for the identity that the key of the host signs reports as',
    isPublic: true,
    body: object(
      {
        token: text('The enrollment token.'),
        hostname: text('Name of the host; its reports must be of it.'),
        public_key: text('The 32 bytes of the Ed25519 key that was made on the host, in base64url.'),
        proof: text('Signature by that key, in base64url, over the lines palisade-agent-enrollment-v1, token, hostname and public_key.'),
        platform: text('Operating system.'),
        agent_version: text('Version of the agent.'),
      },
      ['token', 'hostname', 'public_key', 'proof'],
    ),
    status: 201,
    answer: [
      'application/json',
      object({
        agent_id: text('Id of the agent.'),
        tenant_id: text('The tenant that it reports to.'),
        hostname: text('Name of the host.'),
        enrolled_at: { type: 'string', format: 'date-time', description: 'When it enrolled.' },
      }),
    ],
    errors: [
      'BAD_REQUEST',
      'UNAUTHENTICATED',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'VALIDATION_ERROR',
      'RATE_LIMITED',
      'INTERNAL',
    ],
  },
  {
    method: 'post',
    path: AGENT_PATHS.reports,
    id: 'send_agent_report',
    tag: 'agent-ingest',
    summary:
      'Send a report of a host, at most 256 MiB; the same report again answers with its first run, other bytes under its id are a conflict',
    isPublic: true,
    headers: {
      'palisade-agent': 'The agent, as tenant_id/agent_id.',
      'palisade-report': 'Id of the report, 1 to 64 of A–Z a–z 0–9 . _ : -.',
      'palisade-time': 'When it was signed, ISO 8601; at most five minutes from now.',
      'palisade-sha256': 'SHA-256 of the body in hex.',
      'palisade-signature':
        'Ed25519 in base64url over the lines palisade-agent-report-v1, tenant_id/agent_id, id of the report, time, SHA-256, hostname and format; good for one call.',
    },
    optionalHeaders: { 'palisade-format': 'Format of the report; detected when absent or empty.' },
    body: { type: 'string', format: 'binary', description: 'The report, or a .gz file of it.' },
    bodyType: 'application/octet-stream',
    status: 202,
    answer: [
      'application/json',
      object({
        report_id: text('Id of the report.'),
        scan_run_id: text('The scan run that takes it in.'),
        state: text('State of the run; EXPIRED where it is no longer kept.'),
      }),
    ],
    errors: [
      'BAD_REQUEST',
      'UNAUTHENTICATED',
      'CONFLICT',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'VALIDATION_ERROR',
      'RATE_LIMITED',
      'INTERNAL',
      'UPSTREAM_UNAVAILABLE',
    ],
  },
];
