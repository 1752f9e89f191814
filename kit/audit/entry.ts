import type { SupportIdentity } from '../base/auth-context.js';

/** Every action that is ever written (decision 29: `noun.verb`). */
export const AUDIT_ACTIONS = [
  'user.login',
  'user.logout',
  'user.invite',
  'invite.reissue',
  'invite.revoke',
  'invite.accept',
  'user.reauthenticate',
  'user.password_change',
  'user.password_reset',
  'user.remove',
  'user.link',
  'user.switch_tenant',
  'role.change',
  'mfa.enroll',
  'mfa.change',
  'mfa.recovery_use',
  'mfa.policy_update',
  'sso.update',
  'sso.test',
  'domain.claim',
  'domain.verify',
  'domain.vouch',
  'domain.remove',
  'domain.lapse',
  'domain.lose',
  'scan.trigger',
  'scan.cancel',
  'scan.retry',
  'scan.complete',
  'scan.expire',
  'apikey.create',
  'apikey.delete',
  'finding.open',
  'finding.status',
  'finding.suppress',
  'finding.unsuppress',
  'finding.assign',
  'finding.comment',
  'finding.resolve',
  'finding.regress',
  'finding.rescore',
  'finding.reroute',
  'finding.link_ticket',
  'finding.unlink_ticket',
  'suppression.create',
  'suppression.update',
  'suppression.delete',
  'suppression.expire',
  'sla.update',
  'triage_rule.set',
  'triage_rule.delete',
  'score.export',
  'export.create',
  'export.download',
  'export.put',
  'schedule.create',
  'schedule.update',
  'schedule.delete',
  'schedule.pause',
  'report.set',
  'report.pause',
  'rule.create',
  'rule.update',
  'rule.retire',
  'rule.settings',
  'asset.classify',
  'crown_jewel.mark',
  'risk_settings.update',
  'framework.create',
  'framework.update',
  'framework.retire',
  'attestation.create',
  'integration.create',
  'integration.update',
  'integration.delete',
  'cloud_account.connect',
  'cloud_account.update',
  'cloud_account.validate',
  'cloud_account.discover',
  'cloud_account.disconnect',
  'account_group.set',
  'notification_rule.set',
  'notification_rule.delete',
  'tenant.create',
  'tenant.update',
  'tenant.end',
  'tenant.restore',
  'tenant.remove',
  'tenant.erase',
  'retention.apply',
  'master_key.rotate',
  'support.request',
  'support.approve',
  'support.revoke',
  'support.enter',
  'webhook.create',
  'webhook.update',
  'webhook.delete',
  'webhook.redeliver',
  'siem.update',
  'audit.expire',
  'agent.token_create',
  'agent.enroll',
  'agent.remove',
  'technology.register',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What is done to many things at once: the entries of one transaction share a row. */
export const SHARED_ACTIONS = [
  'finding.open',
  'finding.resolve',
  'finding.regress',
  'finding.rescore',
  'finding.status',
  'finding.suppress',
  'finding.unsuppress',
  'finding.assign',
  'finding.comment',
] as const satisfies readonly AuditAction[];
export type SharedAction = (typeof SHARED_ACTIONS)[number];

/** What the doer of an action says of it. */
export interface Told {
  actor_email: string;
  target_email?: string;
  role?: string;
  ip_address?: string;
  result: 'success' | 'failure';
  detail?: Record<string, unknown>;
  /** Both identities, where the operator's staff acted under a support access. */
  support?: SupportIdentity;
  /** The API key that acted for its owner. */
  api_key_id?: string;
}

/** An action on one thing, or on none. */
interface SingleInput extends Told {
  action: AuditAction;
  /** The thing acted on: `finding:check/<id>`, `user:<id>`, `scan_run:<id>`. */
  target?: string;
}

/** The same action on several things: an entry each, which share a row. */
interface SharedInput extends Told {
  action: SharedAction;
  /** The things acted on, each once; at least one. */
  target: readonly string[];
}

/** What is appended to an audit log. */
export type AuditInput = SingleInput | SharedInput;
