import { AuditLog } from '../audit/audit.js';
import type { AuditInput } from '../audit/entry.js';
import { permissionsOf } from '../../schema/permissions.js';
import { SYSTEM_ACTOR, systemAuthContext, type AuthContext } from '../base/auth-context.js';
import { isKeptByEngine } from '../store/collection.js';
import type { EngineContext, EngineServices } from './context.js';

const auditLogs = new WeakMap<object, AuditLog>();

/** The audit log of a process, made once for its services. */
export function getAuditLog(services: Pick<EngineServices, 'database' | 'masterKey'>): AuditLog {
  const known = auditLogs.get(services) ?? new AuditLog(services.database, services.masterKey);
  auditLogs.set(services, known);
  return known;
}

/** What every audit entry of a caller tells beside the actor: the support access or the API key that acts. */
export const onBehalfOf = ({ support, api_key_id }: AuthContext): Pick<AuditInput, 'support' | 'api_key_id'> => ({
  ...(support && { support }),
  ...(api_key_id !== undefined && { api_key_id }),
});

/**
 * The context of one call to one engine: everything in it is bound to the caller's tenant.
 * @throws when `auth` carries no tenant
 */
export function createEngineContext(
  services: EngineServices,
  engine: string,
  auth: AuthContext,
  signal: AbortSignal,
  field?: string,
): EngineContext {
  const tenant = services.database.tenant(auth.tenant_id);
  return {
    engine,
    field,
    auth,
    services,
    signal,
    collection: (definition) => (isKeptByEngine(definition) ? tenant.engine(engine).collection(definition) : tenant.collection(definition)),
    transaction: (work) => services.database.transaction(work),
    audit: (transaction, entry) => {
      const own = entry.actor_email === auth.email && auth.email !== SYSTEM_ACTOR ? { role: auth.role, ip_address: auth.ip_address } : {};
      return getAuditLog(services).append(transaction, auth.tenant_id, services.clock.now(), [{ ...own, ...entry, ...onBehalfOf(auth) }]);
    },
  };
}

/**
 * The context of what engines derive for the tenant as a whole: it sees every finding, whoever has brought the report or pressed the button. What one who
 * may read little has imported must not make the paths and combinations disappear that rest on what he does not see.
 */
export function asTenant({ services, engine, auth, signal }: EngineContext): EngineContext {
  const { tenant_id, organization_id, plan } = auth;
  const system = systemAuthContext({ tenant_id, organization_id, plan }, 'tenant_admin', permissionsOf('tenant_admin'));
  return createEngineContext(services, engine, system, signal);
}
