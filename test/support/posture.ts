import { FINDING_STATUSES } from '../../schema/model.js';
import { findingEngines } from '../contract/registry-facts.js';
import type { Client } from './world.js';

export interface PostureFinding {
  finding_id: string;
  /** View segment. */
  engine: string;
  rule_id: string;
  title: string;
  severity: string;
  status: string;
  resource_uid: string;
  resource_type: string;
  account_id: string | null;
  scan_run_id: string;
  first_seen_at: string;
  last_seen_at: string;
  regressed_at: string | null;
  version: number;
}

export interface RuleItem extends Record<string, unknown> {
  rule_id: string;
  engine: string;
  title: string;
  severity: string;
  provider: string | null;
  resource_types: string[];
  source: string;
  family: string | null;
  enabled: boolean;
  version: number;
  parameters: Record<string, unknown> | null;
  controls: { framework: string; control_id: string; control_name: string | null }[];
}

export interface RuleResultItem {
  rule_id: string;
  resource_uid: string;
  resource_type: string;
  provider: string;
  account_id: string | null;
  result: string;
  reason: string | null;
  scan_run_id: string;
  evaluated_at: string;
}

export interface Page<Item> {
  items: Item[];
  total: number;
  page: number;
  page_size: number;
  has_more: boolean;
}

/** What a 422 names. */
export interface Violations {
  error_code: string;
  detail: { path: string; message: string; line?: number; column?: number }[];
}

/** Findings of every engine, of every status unless the query names some. @throws where one page does not hold them */
export async function findings(client: Client, query = ''): Promise<PostureFinding[]> {
  const status = query.includes('status=') ? '' : `&status=${FINDING_STATUSES.join(',')}`;
  const pages = await Promise.all(
    findingEngines.map(async ({ prefix }) => {
      const { body, text } = await client.call<Page<PostureFinding>>(`/api/v1/${prefix}/findings?page_size=200&${query}${status}`);
      if (body.has_more !== false) throw new Error(`${prefix}: ${text}`);
      return body.items;
    }),
  );
  return pages.flat();
}

/** The one finding that the query selects. */
export async function finding(client: Client, query: string): Promise<PostureFinding> {
  const found = await findings(client, query);
  expect(found.map(({ rule_id, resource_uid }) => `${rule_id} on ${resource_uid}`)).toHaveLength(1);
  return found[0]!;
}

/** The rule of a family for a resource type; of several the one that is named as the family. */
export async function ruleOf(client: Client, family: string, resourceType: string): Promise<RuleItem> {
  const { body } = await client.call<Page<RuleItem>>(`/api/v1/rules?source=palisade&family=${family}&resource_type=${resourceType}`);
  const rule = body.items.find(({ rule_id }) => rule_id.endsWith(`.${family}`)) ?? body.items[0];
  if (!rule) throw new Error(`the catalog has no rule of ${family} for ${resourceType}`);
  return rule;
}

/** One page of what a rule says of resources. */
export const results = async (client: Client, ruleId: string, query = ''): Promise<Page<RuleResultItem>> =>
  (await client.call<Page<RuleResultItem>>(`/api/v1/check/rules/${ruleId}/results?page_size=200&${query}`)).body;

/** Moves a finding to another status by hand. */
export async function move(client: Client, { engine, finding_id }: PostureFinding, status: string): Promise<void> {
  const answer = await client.call(`/api/v1/views/finding/${engine}/${finding_id}/status`, { method: 'PATCH', body: { status } });
  expect(answer.status).toBe(200);
}

export interface AuditEntry {
  action: string;
  actor_email: string;
  target: string;
  result: string;
  detail: Record<string, unknown>;
}

/** Audit entries of an action, the latest first. @param admin who may read the log */
export const audited = async (admin: Client, action: string): Promise<AuditEntry[]> =>
  (await admin.call<Page<AuditEntry>>(`/api/v1/audit-logs?page_size=200&action=${action}`)).body.items;

/** What a 422 names: path by path. */
export const violated = ({ status, body }: { status: number; body: Violations }) => {
  expect({ status, code: body.error_code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
  return body.detail;
};
