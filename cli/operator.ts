import { openServices } from '../processes/services.js';
import { joinExistingStore, type Store } from '../processes/store.js';
import { permissionsOf, type Role } from '../schema/permissions.js';
import { systemAuthContext } from '../kit/base/auth-context.js';
import { loadConfig, type Config } from '../kit/base/config.js';
import type { EngineServices } from '../kit/engine/context.js';
import type { Engine } from '../kit/engine/engine.js';
import { createEngineContext } from '../kit/engine/create-context.js';
import { PalisadeError } from '../kit/base/errors.js';
import { createLogger } from '../kit/base/logger.js';
import { createInvite } from '../subgraphs/identity/invites/service.js';
import type { TenantRow } from '../accounts/records.js';

/**
 * Runs a command of the operator over the store of the configuration, beside a running server or without one. It sends no mail: what it
 * makes, it prints.
 * @param name of the command, for messages
 * @param open how the store is opened: `joinStore` makes one where there is none yet
 * @returns the exit code: 1, with the reason, when a rule refuses
 */
export async function asOperator(
  name: string,
  data: string | undefined,
  work: (services: EngineServices, engines: readonly Engine[]) => Promise<string>,
  open: (config: Config) => Promise<Store> = joinExistingStore,
): Promise<number> {
  const config = loadConfig({ ...process.env, SMTP_URL: undefined, SMTP_URL_FILE: undefined }, data ? ['--data', data] : []);
  const opened = await openServices(config, createLogger(config.LOG_LEVEL), { open });
  try {
    process.stdout.write(`${await work(opened.services, opened.engines)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof PalisadeError)) throw error;
    const { detail } = error.extensions;
    const reasons = Array.isArray(detail)
      ? (detail as { path: string; message: string }[]).map(({ path, message }) => `\n  ${path}: ${message}`)
      : [];
    process.stderr.write(`${name}: ${error.message}${reasons.join('')}\n`);
    return 1;
  } finally {
    await opened.close();
  }
}

/** Invites somebody in the name of the system. @returns the link, and how to use it */
export async function inviteAsSystem(services: EngineServices, tenant: TenantRow, input: { email: string; role: Role }): Promise<string> {
  const { tenant_id, organization_id, plan } = tenant;
  const auth = systemAuthContext({ tenant_id, organization_id, plan }, 'org_admin', permissionsOf('org_admin'));
  const context = createEngineContext(services, 'identity', auth, new AbortController().signal);
  const { link, email, role, expires_at } = await createInvite(context, input);
  return `${email} becomes ${role} of ${tenant.name} (${tenant_id}) with this link, once, until ${expires_at.toISOString()}:\n${link}`;
}
