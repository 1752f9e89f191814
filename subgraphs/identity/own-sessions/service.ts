import { createHash } from 'node:crypto';
import type { EngineContext } from '../../../kit/engine/context.js';
import { getAuditLog } from '../../../kit/engine/create-context.js';
import { notFound } from '../../../kit/base/errors.js';
import { sessions, type SessionRow } from '../../../accounts/session-record.js';
import { identitiesOf, supportAccesses } from '../../../accounts/support-access.js';
import { speaksForAccount } from '../../../accounts/whole-account.js';

/** Sessions that one list shows. */
const MOST = 200;

/** What is shown instead of the id that the cookie names. */
const shownId = (session: SessionRow): string => createHash('sha256').update(`session ${session._id}`).digest('hex').slice(0, 32);

async function listOwn(context: EngineContext): Promise<SessionRow[]> {
  const { auth, services } = context;
  const here = (await speaksForAccount(context)) ? {} : { tenant_id: auth.tenant_id };
  const live = { user_id: auth.user_id, expires_at: { $gt: services.clock.now() }, ...here };
  return services.database.system(sessions).find(live, { sort: { last_seen_at: -1, _id: 1 }, limit: MOST });
}

/** The caller's own sessions: in whatever tenant, as far as the present one speaks for the whole account. */
export async function listMySessions(context: EngineContext) {
  return (await listOwn(context)).map((session) => ({
    id: shownId(session),
    tenant_id: session.tenant_id,
    method: session.method,
    user_agent: session.user_agent,
    ip_address: session.ip_address,
    created_at: session.created_at,
    last_used_at: session.last_seen_at,
    ends_at: session.ends_at,
    current: session._id === context.auth.session_id,
  }));
}

/** Ends a session and notes it in the log of the tenant that it acted in. @throws PalisadeError NOT_FOUND when it is not the caller's */
export async function endMySession(context: EngineContext, id: string): Promise<boolean> {
  const { auth, services } = context;
  const session = (await listOwn(context)).find((row) => shownId(row) === id);
  if (!session) throw notFound('Session');
  const support = await supportOf(context, session);
  await context.transaction(async (transaction) => {
    if ((await services.database.system(sessions).remove({ _id: session._id }, { transaction })) === 0) throw notFound('Session');
    await getAuditLog(services).append(transaction, session.tenant_id, services.clock.now(), [
      {
        action: 'user.logout',
        actor_email: auth.email,
        target: `user:${auth.user_id}`,
        ip_address: auth.ip_address,
        result: 'success',
        detail: { ended_session: id },
        ...support,
      },
    ]);
  });
  return true;
}

/** Both identities, where the session acted in a customer's tenant: its log names them, wherever the session is ended from. */
async function supportOf({ services: { database } }: EngineContext, { tenant_id, support_access_id: _id }: SessionRow) {
  const access = _id === null ? null : await database.tenant(tenant_id).collection(supportAccesses).findOne({ _id });
  return access === null ? {} : { support: identitiesOf(access) };
}
