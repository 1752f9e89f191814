import { createHash, randomBytes } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { drain } from '../http/drain.js';
import { admitCall, type RateLimiter } from '../http/rate-limit.js';
import { invalid, PalisadeError, unauthenticated } from '../kit/base/errors.js';
import { signedText, type AgentGate, type AgentServices, type KnownAgent, type SignedReport } from '../kit/engine/agent-gate.js';
import type { Engine } from '../kit/engine/engine.js';
import { hasSigned } from '../kit/keys/ed25519.js';
import type { ObjectStore } from '../kit/store/object-store.js';

export interface AgentDependencies {
  readonly engines: readonly Engine[];
  readonly services: AgentServices & { readonly objects: ObjectStore };
  readonly rateLimiter: RateLimiter;
  /** Reads the body of an enrollment. @throws PalisadeError BAD_REQUEST */
  readonly readJson: (text: string) => unknown;
}

/** Bytes of the largest report. */
const MOST_BYTES = 256 * 1_048_576;
/** Bytes of the largest enrollment. */
const MOST_ENROLLMENT = 8_192;
/** How far the clock of a host may be off, in milliseconds. */
const CLOCK_SKEW = 5 * 60_000;
const REPORT_ID = /^[A-Za-z0-9._:-]{1,64}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const FORMAT = /^[a-z0-9_-]{0,64}$/;
/** Whom an unknown agent's signature is held against, so that it takes as long to refuse as a wrong one. */
const NOBODY: KnownAgent = { tenant_id: '-', agent_id: '-', hostname: '-', public_key: randomBytes(32).toString('base64url') };

/** The paths of agents, for the router and the documents. */
export const AGENT_PATHS = { enroll: '/api/agent/enroll', reports: '/api/agent/reports' } as const;

/** Adds the way in for host agents, of the engine that declares it (decision 46). */
export function registerAgentRoutes(app: FastifyInstance, dependencies: AgentDependencies): void {
  const [gate] = dependencies.engines.flatMap(({ agentGates }) => agentGates);
  if (!gate) return;
  const { services, rateLimiter, readJson } = dependencies;
  void app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: MOST_ENROLLMENT }, (_request, body, done) =>
      done(null, body),
    );
    routes.post(
      AGENT_PATHS.enroll,
      { onRequest: async (request, reply) => admitCall(reply, await rateLimiter.consumeAddress(request.ip)) },
      async (request, reply) => reply.code(201).send(await gate.enroll(services, readJson(String(request.body ?? '')), request.ip)),
    );
  });
  void app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_request, _payload, done) => done(null));
    routes.post(AGENT_PATHS.reports, { config: { unboundedBody: true } }, async (request, reply) => {
      try {
        return await reply.code(202).send(await take(dependencies, gate, request, reply));
      } catch (error) {
        drain(request.raw);
        throw error;
      }
    });
  });
}

const header = (request: FastifyRequest, name: string): string => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
};

/** What stands in the headers of a report. @throws PalisadeError VALIDATION_ERROR that names the header, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE */
function signedReportOf(request: FastifyRequest): SignedReport {
  const report = {
    report_id: header(request, 'palisade-report'),
    time: header(request, 'palisade-time'),
    sha256: header(request, 'palisade-sha256'),
    format: header(request, 'palisade-format'),
    signature: header(request, 'palisade-signature'),
  };
  const violations = [
    ...(REPORT_ID.test(report.report_id) ? [] : [{ path: 'palisade-report', message: 'must be 1 to 64 of A-Z a-z 0-9 . _ : -' }]),
    ...(SHA256.test(report.sha256) ? [] : [{ path: 'palisade-sha256', message: 'must be the SHA-256 of the body in hex' }]),
    ...(FORMAT.test(report.format) ? [] : [{ path: 'palisade-format', message: 'must be the name of a format' }]),
  ];
  if (violations.length > 0) throw invalid(violations);
  const encoding = header(request, 'content-encoding');
  if (encoding !== '' && encoding !== 'identity')
    throw new PalisadeError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The bytes of a report are signed as they are sent; send a .gz file without a content encoding',
    );
  if (Number(header(request, 'content-length') || 0) > MOST_BYTES) throw tooLarge();
  return report;
}

const tooLarge = () => new PalisadeError('PAYLOAD_TOO_LARGE', `The report is larger than ${MOST_BYTES} bytes`, { max_bytes: MOST_BYTES });

/** Whether an agent has signed what the headers say. */
const isSigned = (agent: KnownAgent, report: SignedReport): boolean =>
  hasSigned(agent.public_key, signedText(agent, report), report.signature);

/** Takes one report: who sends it and what is signed are looked at before a byte of the body is read. */
async function take(
  { services, rateLimiter }: AgentDependencies,
  gate: AgentGate,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<object> {
  const name = header(request, 'palisade-agent');
  const agent = await gate.find(services, name);
  // an agent has calls of its own; who is none counts by address
  admitCall(reply, await (agent ? rateLimiter.consumeAgent(name) : rateLimiter.consumeAddress(request.ip)));
  const report = signedReportOf(request);
  const holds = isSigned(agent ?? NOBODY, report);
  if (!agent || !holds) throw unauthenticated('The signature does not hold');
  const off = Math.abs(services.clock.now().getTime() - Date.parse(report.time));
  if (!(off <= CLOCK_SKEW)) throw unauthenticated('The report was signed at another time than now: is the clock of the host right?');
  const earlier = await gate.known(services, agent, report);
  if (earlier) {
    drain(request.raw);
    return earlier;
  }
  const uploadId = await stage(services.objects, agent, report, request.raw);
  try {
    return await gate.accept(services, agent, report, uploadId, request.ip);
  } catch (error) {
    const code = error instanceof PalisadeError ? error.code : 'INTERNAL';
    // where nobody knows whether the run has begun, the sweep of uploads decides
    if (code !== 'UPSTREAM_UNAVAILABLE' && code !== 'INTERNAL') await services.objects.remove(agent.tenant_id, uploadId);
    throw error;
  }
}

/** Stages the body, whose bytes must be those that were signed. @throws PalisadeError UNAUTHENTICATED, PAYLOAD_TOO_LARGE */
async function stage(objects: ObjectStore, { tenant_id }: KnownAgent, { sha256 }: SignedReport, body: Readable): Promise<string> {
  const digest = createHash('sha256');
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
  body.once('error', (error) => hashed.destroy(error));
  body.once('close', () => {
    if (!body.readableEnded) hashed.destroy(new Error('the agent went away'));
  });
  body.pipe(hashed);
  const { id } = await objects.put(tenant_id, hashed, { maxBytes: MOST_BYTES });
  if (digest.digest('hex') === sha256) return id;
  await objects.remove(tenant_id, id);
  throw unauthenticated('The body is not the one that was signed');
}
