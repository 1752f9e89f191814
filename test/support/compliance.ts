import type { Page, Violations } from './posture.js';
import type { Answer, Client } from './world.js';

export interface Summary {
  framework_id: string;
  framework_name: string;
  version: string;
  providers: string[];
  custom: boolean;
  score: number | null;
  assessed_controls: number;
  pass_count: number;
  fail_count: number;
  total_controls: number;
  mapped_controls: number;
  manual_controls: number;
  by_provider: Record<
    string,
    Record<'critical' | 'high' | 'medium' | 'low' | 'info', number> & { score: number; pass_count: number; fail_count: number }
  >;
  last_evaluated: string | null;
}
export interface Report extends Summary {
  trend: { date: string; score: number }[];
}
export interface Attestation {
  attestation_id: string;
  framework_id: string;
  control_id: string;
  status: string;
  evidence: string;
  evidence_url: string | null;
  author: string;
  created_at: string;
  expires_at: string;
  expired: boolean;
}
export interface Control {
  control_id: string;
  section: string;
  title: string;
  status: 'PASS' | 'FAIL' | 'NOT_ASSESSED' | 'MANUAL';
  assessable: boolean;
  not_assessed_because: string | null;
  rule_count: number;
  passed_results: number;
  failed_results: number;
  not_evaluated_results: number;
  attestation: Attestation | null;
}
export interface ControlDetail extends Control {
  framework_id: string;
  rules: { rule_id: string; passed: number; failed: number; not_applicable: number; not_evaluated: number }[];
  failing_findings: { engine: string; finding_id: string; rule_id: string; resource_uid: string; severity: string; status: string }[];
  failing_total: number;
  history: { date: string; status: string }[];
  degradedEngines: string[];
  restrictedEngines: string[];
}

const path = (id: string) => `/api/v1/compliance/framework/${encodeURIComponent(id)}`;

/** Every framework, on one page. */
export const frameworks = async (client: Client, query = ''): Promise<Page<Summary>> =>
  (await client.call<Page<Summary>>(`/api/v1/compliance/frameworks?page_size=200&${query}`)).body;

export const reportAnswer = (client: Client, id: string, query = ''): Promise<Answer<Report>> =>
  client.call<Report>(`${path(id)}/report?${query}`);
export const report = async (client: Client, id: string, query = ''): Promise<Report> => (await reportAnswer(client, id, query)).body;

/** Every control of a framework that the query selects. */
export async function controls(client: Client, id: string, query = ''): Promise<Control[]> {
  const all: Control[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.call<Page<Control>>(`${path(id)}/controls?page_size=200&page=${page}&${query}`);
    all.push(...body.items);
    if (!body.has_more) return all;
  }
}

export const controlAnswer = (client: Client, id: string, control: string, query = ''): Promise<Answer<ControlDetail>> =>
  client.call<ControlDetail>(`${path(id)}/controls/${encodeURIComponent(control)}?${query}`);
export const control = async (client: Client, id: string, controlId: string, query = ''): Promise<ControlDetail> =>
  (await controlAnswer(client, id, controlId, query)).body;

/** Passed / (passed + failed) in percent, with one decimal; null of nothing. */
export const percent = (passed: number, failed: number): number | null =>
  passed + failed === 0 ? null : Number(((100 * passed) / (passed + failed)).toFixed(1));

export const attest = (client: Client, body: Record<string, unknown>): Promise<Answer<Attestation & Violations>> =>
  client.call<Attestation & Violations>('/api/v1/compliance/attestations', { body });

/** A moment so many milliseconds from now. */
export const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
export const DAY = 86_400_000;
