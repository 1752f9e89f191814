import { FINDING_STATUSES, PROVIDERS, SEVERITIES, type FindingStatus, type Provider, type Severity } from '../../schema/model.js';
import type { Client } from '../support/world.js';
import { feed, type Sample } from './feeds.js';

/** A finding as a list shows it. */
export interface Row {
  finding_id: string;
  rule_id: string;
  title: string;
  severity: Severity;
  status: FindingStatus;
  risk_score: number;
  provider: Provider;
  account_id: string | null;
  region: string;
  resource_type: string;
  resource_uid: string;
  resource_name: string | null;
  scan_run_id: string;
  first_seen_at: string;
  last_seen_at: string;
  version: number;
}

export interface Page {
  items: Row[];
  total: number;
  page: number;
  page_size: number;
  has_more: boolean;
}

export interface Summary {
  total: number;
  severity: Record<Severity, number>;
  status: Record<FindingStatus, number>;
  top_rules: { rule_id: string; severity: Severity; count: number }[];
  top_resources: { resource_uid: string; severity: Severity; count: number }[];
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(next: () => number, list: readonly T[]): T => list[Math.floor(next() * list.length)]!;

const ACCOUNTS = ['111122223333', '444455556666', 'sub.with.dots', 'account $5', null] as const;
const REGIONS = ['eu-west-1', 'us-east-1', 'eu west|1.ü%$', 'ap-south-1', 'global', 'x'.repeat(60)] as const;
const TYPES: Readonly<Record<Provider, string>> = {
  aws: 'aws_s3_bucket',
  azure: 'azurerm_key_vault',
  gcp: 'google_storage_bucket',
  oci: 'oci_core_instance',
  alicloud: 'alicloud_oss_bucket',
  ibm: 'ibm_cos_bucket',
  k8s: 'kubernetes_deployment',
};
/** Names that a pattern would read otherwise than a person. */
const NAMES = ['plain', '.*', '(a+)+$', 'Café', '100%', 'a_b', 'back\\slash', '[x]', 'a,b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'] as const;

/** Findings that differ in everything that lists filter and sort by. */
export function mixture(count: number, seed: number): Sample[] {
  const next = random(seed);
  return Array.from({ length: count }, (_, n) => {
    const provider = pick(next, PROVIDERS);
    return {
      rule: `rule_${n % 17}`,
      title: `${pick(next, NAMES)} of rule ${n % 17}`,
      resource: n % 40 === 7 ? `resource, ${n % 40}/%2C` : `resource:${n % 40}`,
      name: `${pick(next, NAMES)} ${n}`,
      severity: pick(next, SEVERITIES),
      provider,
      account: pick(next, ACCOUNTS),
      region: pick(next, REGIONS),
      type: next() < 0.5 ? TYPES[provider] : `${TYPES[provider]}_policy`,
    };
  });
}

/** Imports in several runs, so that times differ. What is in one run's scope is in no other's. */
export async function feedInRuns(client: Client, segment: string, samples: readonly Sample[], runs = 3): Promise<void> {
  const accounts: readonly (string | null)[] = ACCOUNTS;
  for (let run = 0; run < runs; run++) {
    const some = samples.filter(({ account }) => Math.max(0, accounts.indexOf(account)) % runs === run);
    if (some.length > 0) await feed(client, segment, some);
  }
}

export const ALL = `status=${FINDING_STATUSES.join(',')}`;

export const listOf = async (client: Client, prefix: string, query: string): Promise<Page> => {
  const { status, body, text } = await client.call<Page>(`/api/v1/${prefix}/findings?${query}`);
  if (status !== 200) throw new Error(`${prefix}?${query}: ${status} ${text}`);
  return body;
};

export const summaryOf = async (client: Client, prefix: string, query: string): Promise<Summary> =>
  (await client.call<Summary>(`/api/v1/${prefix}/summary?${query}`)).body;

/** All rows that a query selects, by following pages to an empty one: no counted number is trusted. */
export async function rowsOf(client: Client, prefix: string, query: string, pageSize = 200): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const { items } = await listOf(client, prefix, `${query}&page=${page}&page_size=${pageSize}`);
    if (items.length === 0) return rows;
    rows.push(...items);
  }
}

const counted = <K extends string>(keys: readonly K[], rows: readonly Row[], of: (row: Row) => K): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, rows.filter((row) => of(row) === key).length])) as Record<K, number>;

/** What a summary must say of rows. */
export const summarized = (rows: readonly Row[]) => ({
  total: rows.length,
  severity: counted(SEVERITIES, rows, ({ severity }) => severity),
  status: counted(FINDING_STATUSES, rows, ({ status }) => status),
});

const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The orders of decision 7, as comparisons; each is total. */
export const ORDERS: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  severity: (a, b) =>
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    text(b.last_seen_at, a.last_seen_at) ||
    text(a.finding_id, b.finding_id),
  risk_score: (a, b) => b.risk_score - a.risk_score || text(a.finding_id, b.finding_id),
  last_seen_at: (a, b) => text(b.last_seen_at, a.last_seen_at) || text(a.finding_id, b.finding_id),
  first_seen_at: (a, b) => text(b.first_seen_at, a.first_seen_at) || text(a.finding_id, b.finding_id),
};

export const setStatus = (client: Client, segment: string, id: string, status: FindingStatus) =>
  client.call(`/api/v1/views/finding/${segment}/${id}/status`, { method: 'PATCH', body: { status, note: 'because' } });

/** The engines on which the model is tried in full. All lists are made by one function: the others are tried for what an engine can get wrong, its wiring. */
export const isModelled = ({ viewSegment }: { viewSegment: string }): boolean => ['check', 'vulnerability'].includes(viewSegment);
