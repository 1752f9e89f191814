import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EngineContext } from '../../kit/engine/context.js';
import { invalid, violationsOf } from '../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import { findFramework } from './frameworks.js';
import { attestations, type AttestationRow } from './records.js';

export interface AttestationInput {
  framework_id: string;
  control_id: string;
  status: string;
  evidence: string;
  evidence_url?: string | null;
  expires_at: Date | string;
}

export interface AttestationFilter extends PageArguments {
  framework_id?: string[] | null;
  control_id?: string[] | null;
  expired?: boolean | null;
}

/** Longer than this nobody can vouch for a control. */
const MAX_YEARS = 3;

const facts = z.object({
  status: z.enum(['met', 'not_met'], 'must be met or not_met'),
  evidence: z.string().trim().min(1, 'must not be empty').max(10_000, 'must have at most 10000 characters'),
  evidence_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(2_000)
    .nullish(),
});

/**
 * Records that a control is met or not, as a person says. It counts until it expires, and only where no rule has assessed the control.
 * @throws VALIDATION_ERROR for an unknown control, one that rules assess, or a time that is past or too far
 */
export async function createAttestation(context: EngineContext, input: AttestationInput) {
  const now = context.services.clock.now();
  const expires_at = new Date(input.expires_at);
  const parsed = facts.safeParse(input);
  const violations = parsed.success ? [] : violationsOf(parsed.error);
  const framework = await findFramework(context, input.framework_id);
  const control = framework?.controls.find(({ control_id }) => control_id === input.control_id);
  if (!framework) violations.push({ path: 'framework_id', message: 'there is no such framework' });
  else if (!control) violations.push({ path: 'control_id', message: 'the framework has no such control' });
  else if (control.selectors.length > 0)
    violations.push({ path: 'control_id', message: 'rules assess this control: its result cannot be attested' });
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS);
  if (!(expires_at > now) || expires_at > latest)
    violations.push({ path: 'expires_at', message: `must lie in the future, at most ${MAX_YEARS} years ahead` });
  if (violations.length > 0 || !parsed.success) throw invalid(violations);
  const { framework_id, control_id } = input;
  const { status, evidence, evidence_url = null } = parsed.data;
  const { tenant_id, email } = context.auth;
  const row: AttestationRow = {
    _id: randomUUID(),
    tenant_id,
    framework_id,
    control_id,
    status,
    evidence,
    evidence_url,
    author: email,
    created_at: now,
    expires_at,
  };
  await context.transaction(async (transaction) => {
    await context.collection(attestations).insert(row, { transaction });
    await context.audit(transaction, {
      action: 'attestation.create',
      actor_email: email,
      target: `control:${framework_id}/${control_id}`,
      result: 'success',
      detail: { status, expires_at: expires_at.toISOString() },
    });
  });
  return attestationView(row, now);
}

/** Attestations, the latest first. */
export async function listAttestations(context: EngineContext, args: AttestationFilter) {
  const window = pageWindow(args);
  const now = context.services.clock.now();
  const filter = {
    ...(args.framework_id && { framework_id: { $in: args.framework_id } }),
    ...(args.control_id && { control_id: { $in: args.control_id } }),
    ...(args.expired != null && { expires_at: args.expired ? { $lte: now } : { $gt: now } }),
  };
  const rows = context.collection(attestations);
  const [items, total] = await Promise.all([
    rows.find(filter, { sort: { created_at: -1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(filter),
  ]);
  return toPage(
    items.map((row) => attestationView(row, now)),
    total,
    window,
  );
}

/** The latest valid attestation of each control: framework -> control -> attestation. */
export async function validAttestations(context: EngineContext, frameworkId?: string): Promise<Map<string, Map<string, AttestationRow>>> {
  const now = context.services.clock.now();
  const filter = { expires_at: { $gt: now }, ...(frameworkId && { framework_id: frameworkId }) };
  const valid = new Map<string, Map<string, AttestationRow>>();
  for (const row of await context.collection(attestations).find(filter, { sort: { created_at: 1, _id: 1 } })) {
    const controls = valid.get(row.framework_id) ?? new Map<string, AttestationRow>();
    valid.set(row.framework_id, controls.set(row.control_id, row));
  }
  return valid;
}

export const attestationView = ({ _id, tenant_id: _tenant, ...row }: AttestationRow, now: Date) => ({
  attestation_id: _id,
  ...row,
  expired: row.expires_at <= now,
});
