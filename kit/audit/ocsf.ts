import type { ProvenEntry } from './entries.js';
import type { AuditAction } from './entry.js';

const AUTHENTICATION = { category_uid: 3, category_name: 'Identity & Access Management', class_uid: 3002, class_name: 'Authentication' };
const API_ACTIVITY = { category_uid: 6, category_name: 'Application Activity', class_uid: 6003, class_name: 'API Activity' };

const SIGN_IN: Partial<Record<AuditAction, number>> = { 'user.login': 1, 'user.logout': 2 };
const OTHER = 99;
const CREATE = /\.(create|invite|open|trigger)$/;
const UPDATE = /\.(update|change|settings|status|suppress|resolve|regress|approve|complete|switch_tenant)$/;
const DELETE = /\.(delete|remove|retire|expire|cancel)$/;
const apiActivity = (action: string): number => (CREATE.test(action) ? 1 : UPDATE.test(action) ? 3 : DELETE.test(action) ? 4 : OTHER);

/** An entry as an event of OCSF 1.4 (schema.ocsf.io): Authentication for sign-ins and sign-outs, API Activity for all else. */
export function toOcsf(row: ProvenEntry): Record<string, unknown> {
  const { tenant_id, seq, timestamp, action, actor_email, target, ip_address, result, prev, hash } = row;
  const { target_email = null, role = null, detail = null, support = null, api_key_id = null, batch } = row;
  const signIn = SIGN_IN[action];
  const kind = signIn ? AUTHENTICATION : API_ACTIVITY;
  const activity_id = signIn ?? apiActivity(action);
  // the platform and its parts act under names that are no addresses
  const user = { ...(actor_email.includes('@') && { email_addr: actor_email }), name: actor_email };
  return {
    ...kind,
    activity_id,
    activity_name: action,
    type_uid: kind.class_uid * 100 + activity_id,
    time: timestamp.getTime(),
    severity_id: 1,
    status_id: result === 'success' ? 1 : 2,
    status: result,
    metadata: {
      version: '1.4.0',
      uid: `${tenant_id}|${seq}`,
      sequence: seq,
      tenant_uid: tenant_id,
      log_name: 'audit',
      product: { name: 'Palisade', vendor_name: 'Palisade' },
    },
    actor: { user },
    ...(signIn ? { user, service: { name: 'Palisade' } } : { api: { operation: action } }),
    // an endpoint is named by an address or a service: what no person asked for came from here
    src_endpoint: ip_address ? { ip: ip_address } : { svc_name: 'palisade' },
    ...(target && !signIn && { resources: [{ uid: target }] }),
    unmapped: { target: target ?? null, target_email, role, detail, support, api_key_id, prev, hash, ...(batch && { batch }) },
  };
}
