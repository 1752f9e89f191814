import { createContextSigner } from '../../gateway/auth-context-token.js';
import { systemClock } from '../../kit/base/clock.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { modelFields } from '../contract/registry-facts.js';
import { openEnginePort, pathOf, type EnginePort } from './engine-port.js';

const LONG = 600_000;

/** The fields of read models, each with a selection that it takes. */
const FIELDS: Readonly<Record<string, { model: string; other: string; selection: string; changes?: true }>> = {
  inventory_model: { model: 'inventory', other: 'rules', selection: 'inventory_model(limit: 1) { next }' },
  rising_edges_model: { model: 'inventory', other: 'rules', selection: 'rising_edges_model(provider: aws, limit: 1) { next }' },
  graph_assets_model: { model: 'inventory', other: 'rules', selection: 'graph_assets_model(limit: 1) { next }' },
  graph_edges_model: { model: 'inventory', other: 'rules', selection: 'graph_edges_model(kind: [runs_as], limit: 1) { next }' },
  graph_access_nodes_model: { model: 'inventory', other: 'rules', selection: 'graph_access_nodes_model(limit: 1) { next }' },
  attack_paths_model: { model: 'attack_paths', other: 'inventory', selection: 'attack_paths_model(limit: 1) { next }' },
  exposures_model: { model: 'exposures', other: 'inventory', selection: 'exposures_model(limit: 1) { next }' },
  classified_model: { model: 'inventory', other: 'rules', selection: 'classified_model(criticality: high, limit: 1) { next }' },
  open_assets_model: { model: 'inventory', other: 'rules', selection: 'open_assets_model(tag_names: [], limit: 1) { next }' },
  owned_assets_model: { model: 'inventory', other: 'rules', selection: 'owned_assets_model(limit: 1) { next }' },
  edges_at_model: { model: 'inventory', other: 'rules', selection: 'edges_at_model(resource_uids: [], kind: [], direction: out) { from }' },
  last_changes_model: { model: 'inventory', other: 'rules', selection: 'last_changes_model(resource_uids: []) { event }' },
  inventory_standings: { model: 'inventory', other: 'rules', selection: 'inventory_standings(resource_uids: []) { exposure }' },
  inventory_links: { model: 'inventory', other: 'rules', selection: 'inventory_links(resource_uids: [], ends: []) { total }' },
  crown_jewels_model: { model: 'crown_jewels', other: 'inventory', selection: 'crown_jewels_model(limit: 1) { next }' },
  attack_figures_model: { model: 'attack_figures', other: 'inventory', selection: 'attack_figures_model { name }' },
  risk_settings_model: { model: 'risk_settings', other: 'inventory', selection: 'risk_settings_model { step_probabilities }' },
  cdr_usage_model: { model: 'event_use', other: 'inventory', selection: 'cdr_usage_model(limit: 1) { next }' },
  cdr_log_coverage_model: { model: 'event_use', other: 'inventory', selection: 'cdr_log_coverage_model(provider: aws) { log }' },
  tenant_plan_model: { model: 'tenant_plan', other: 'inventory', selection: 'tenant_plan_model { plan }' },
  start_sbom_import: {
    model: 'sbom_import',
    other: 'inventory',
    selection: 'start_sbom_import(upload_id: "none") { job_id }',
    changes: true,
  },
  rules_model: { model: 'rules', other: 'inventory', selection: 'rules_model(rule_ids: ["x"]) { rule_id }' },
  agent_hosts_model: { model: 'agent_hosts', other: 'inventory', selection: 'agent_hosts_model(hostname: ["x"]) { hostname }' },
  package_lists_model: { model: 'package_lists', other: 'inventory', selection: 'package_lists_model(artifact_id: ["x"]) { artifact_id }' },
  tenant_settings_model: { model: 'tenant_settings', other: 'inventory', selection: 'tenant_settings_model { time_zone }' },
  members_model: { model: 'members', other: 'inventory', selection: 'members_model(members: ["x"]) { user_id }' },
  finding_rows: { model: 'finding_rows', other: 'inventory', selection: 'finding_rows(of: "check", limit: 1, whole: false) { next }' },
  asset_rows: { model: 'inventory', other: 'rules', selection: 'asset_rows(limit: 1) { next }' },
  inventory_types: { model: 'inventory', other: 'rules', selection: 'inventory_types' },
  inventory_usage: { model: 'inventory', other: 'rules', selection: 'inventory_usage { assets }' },
  audit_rows: { model: 'audit_log', other: 'inventory', selection: 'audit_rows(after_seq: 0, limit: 1) { next }' },
  buckets_model: { model: 'buckets', other: 'report_files', selection: 'buckets_model(integration_ids: [])' },
  reports_to_bucket_model: { model: 'report_files', other: 'buckets', selection: 'reports_to_bucket_model(integration_id: "x")' },
  report_file_model: { model: 'report_files', other: 'buckets', selection: 'report_file_model(export_id: "x") { size }' },
  report_file_piece_model: { model: 'report_files', other: 'buckets', selection: 'report_file_piece_model(export_id: "x", number: 0)' },
  note_report_file: {
    model: 'report_files',
    other: 'buckets',
    selection: 'note_report_file(report_id: "x", export_id: "x", integration_id: "x", reason: "r")',
    changes: true,
  },
  rule_tallies_model: { model: 'results', other: 'inventory', selection: 'rule_tallies_model { rule_ids }' },
};

/** How an operation on one of them begins. */
const kindOf = (changes?: true): string => (changes ? 'mutation' : 'query');

it('knows every field of a read model', () => {
  expect(modelFields.map(({ name }) => name).sort()).toEqual(Object.keys(FIELDS).sort());
});

describe('a client', () => {
  let world: World;
  let admin: Client;
  beforeAll(async () => {
    world = await openWorld();
    admin = await (await world.tenant()).as('org_admin');
  });
  afterAll(() => world.close());

  it.each(Object.entries(FIELDS))('cannot send %s over /graphql: the graph does not have it', async (name, { selection, changes }) => {
    const { status, data, errors } = await admin.graphql(`${kindOf(changes)} { ${selection} }`);
    expect({ status, data }).toEqual({ status: 400, data: undefined });
    expect(errors![0]!.message).toContain(`Cannot query field "${name}"`);
  });

  it.each(Object.entries(FIELDS))('gets no further to %s with a claim of its own making', async (_name, { model, selection, changes }) => {
    const claim = { reading: { model, field: 'job' } };
    const encoded = Buffer.from(JSON.stringify({ auth: claim, ...claim })).toString('base64url');
    const forged = await admin.call('/graphql', {
      body: { query: `${kindOf(changes)} { ${selection} }`, extensions: claim, variables: claim },
      headers: { 'x-auth-context': `${encoded}.${encoded}.${encoded}`, 'x-reading': JSON.stringify(claim.reading) },
    });
    expect(forged.status).toBe(400);
    expect(forged.text).not.toContain('"data"');
  });
});

describe("an engine's port", () => {
  let port: EnginePort;
  beforeAll(async () => {
    port = await openEnginePort();
  }, LONG);
  afterAll(() => port?.close(), LONG);

  async function ask(
    engine: string,
    selection: string,
    change: Partial<AuthContext>,
    changes?: true,
  ): Promise<{ code?: string; data?: unknown }> {
    const body = JSON.stringify({ query: `${kindOf(changes)} { result: ${selection} }` });
    const auth = { ...port.auth, ...change };
    const context = await createContextSigner(port.ring, systemClock).sign(auth, { engine, method: 'POST', path: pathOf(engine), body });
    const { text } = await port.send(context, { engine, body });
    const answer = JSON.parse(text) as { data?: { result: unknown }; errors?: { extensions: { code: string } }[] };
    return answer.errors ? { code: answer.errors[0]!.extensions.code } : { data: answer.data!.result };
  }

  describe.each(modelFields.map(({ engine, name }) => [name, engine] as const))('of %s', (name, engine) => {
    const { model, other, selection, changes } = FIELDS[name]!;
    const forbidden = { code: 'FORBIDDEN' };
    // a viewer holds check:read and not ciem:read
    const field = 'Query.check_findings';

    it('refuses it without the claim, with that of another model, and of a field that there is not', async () => {
      expect(await ask(engine, selection, {}, changes)).toEqual(forbidden);
      expect(await ask(engine, selection, { reading: { model: other, field } }, changes)).toEqual(forbidden);
      expect(await ask(engine, selection, { reading: { model, field: 'Query.nothing' } }, changes)).toEqual(forbidden);
    });

    it('refuses it for a field whose permission the caller lacks, and answers for one whose permission the caller holds', async () => {
      expect(await ask(engine, selection, { reading: { model, field: 'Query.ciem_findings' } }, changes)).toEqual(forbidden);
      expect(await ask(engine, selection, { permissions: [], reading: { model, field } }, changes)).toEqual(forbidden);
      const answer = await ask(engine, selection, { permissions: ['check:read'], reading: { model, field } }, changes);
      // there is nothing that the change could be made of
      if (changes) expect(answer).not.toEqual(forbidden);
      else expect(answer).toHaveProperty('data');
    });
  });
});
