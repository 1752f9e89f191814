import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { admitCall, tighterOf, type RateLimiter } from '../http/rate-limit.js';
import { unauthenticated } from '../kit/base/errors.js';
import type { Engine } from '../kit/engine/engine.js';
import type { EngineServices } from '../kit/engine/context.js';
import type { EngineHook, HookTarget } from '../kit/engine/hook.js';
import { defineCollection } from '../kit/store/collection.js';
import { date } from '../kit/store/fields.js';

export interface HookDependencies {
  readonly engines: readonly Engine[];
  readonly services: Pick<EngineServices, 'database' | 'masterKey' | 'jobs' | 'clock'>;
  readonly rateLimiter: RateLimiter;
}

/** Bytes of the largest message. */
const BODY_LIMIT = 262_144;
/** Milliseconds for which a message is remembered, longer than any sender tries again. */
const REPLAY_WINDOW = 7 * 86_400_000;

/** Messages that were taken; `_id` is a digest of tenant, hook and body. */
export const hookMessages = defineCollection(
  'hook_messages',
  {
    expires_at: date,
  },
  [{ key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);

/** The address of a hook, with the name of its parameter as the router or the documentation writes it. */
export const hookPath = (kind: string, id: string): string => `/gateway/hooks/${kind}/${id}`;

/** Adds the hooks that the engines declare (decision 46). The answer does not wait for what a message sets off. */
export function registerHooks(app: FastifyInstance, { engines, services, rateLimiter }: HookDependencies): void {
  void app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));
    for (const hook of engines.flatMap(({ hooks }) => hooks)) {
      for (const path of [hookPath(hook.kind, ':id'), ...(hook.formerPath === undefined ? [] : [hook.formerPath])])
        routes.post<{ Params: { id: string } }>(
          path,
          {
            // before the body is read
            onRequest: async (request, reply) => {
              const address = await rateLimiter.consumeAddress(request.ip);
              admitCall(reply, address);
              admitCall(reply, tighterOf(address, await rateLimiter.consumeHook(request.params.id)));
            },
          },
          async (request, reply) => {
            await take(services, hook, request.params.id, request);
            return reply.code(202).send();
          },
        );
    }
  });
}

async function take(services: HookDependencies['services'], hook: EngineHook, id: string, request: FastifyRequest): Promise<void> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const target = await hook.find(services, id);
  const signature = request.headers[hook.signatureHeader];
  if (!isSigned(hook, target, body, signature)) throw unauthenticated('The signature does not hold');
  const job = hook.jobOf(id, body);
  if (!target || !job) return;
  const { database, jobs, clock } = services;
  const { tenant_id } = target.auth;
  const _id = createHash('sha256')
    .update(JSON.stringify([tenant_id, hook.kind, id]))
    .update(body)
    .digest('base64url');
  await database.transaction(async (transaction) => {
    const messages = database.tenant(tenant_id).collection(hookMessages);
    if (await messages.findOne({ _id }, { transaction })) return;
    await messages.insert({ _id, tenant_id, expires_at: new Date(clock.now().getTime() + REPLAY_WINDOW) }, { transaction });
    await jobs.add(transaction, target.auth, job.kind, job.payload);
  });
  jobs.wake();
}

/** An unknown id takes as long to refuse as a wrong signature. */
function isSigned(hook: EngineHook, target: HookTarget | null, body: Buffer, signature: unknown): boolean {
  const secret = target?.secret;
  const holds = hook.isSigned(body, typeof signature === 'string' ? signature : '', secret ?? randomBytes(32).toString('hex'));
  return holds && secret !== undefined;
}
