import type { Severity } from '../../schema/model.js';
import { mapControl } from '../../catalog/reported-controls.js';
import { holds } from '../../kit/base/auth-context.js';
import { PalisadeError } from '../../kit/base/errors.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { defineOperation, runOperation, type EngineOperation } from '../../kit/engine/operation.js';
import type { FindingItemJson } from '../../kit/findings/item.js';
import { CLOSABLE } from '../../kit/findings/lifecycle.js';
import { readRules } from '../../kit/read/rules.js';
import type { Provider } from '../../schema/model.js';
import { relatedFindings } from './related.js';

interface Asset {
  resource_uid: string;
  resource_type: string;
  resource_name: string | null;
  provider: Provider;
  account_id: string | null;
  region: string;
  first_seen_at: string;
  last_seen_at: string;
  gone_at: string | null;
  business_context: { data_classes: string[] };
}

const asset = defineOperation<{ uid: string }, Asset | null>(
  'di',
  `query($uid: ID!) { result: asset(resource_uid: $uid) {
    resource_uid resource_type resource_name provider account_id region first_seen_at last_seen_at gone_at
    business_context { owner environment criticality data_classes set_by set_at }
  } }`,
);

interface Edges {
  edges: { from: string; to: string; kind: string }[];
  cut: boolean;
}
const relationships = defineOperation<{ uid: string }, Edges | null>(
  'di',
  `query($uid: ID!) { result: asset_relationships(resource_uid: $uid) { edges { from to kind } cut } }`,
);

type ViewOperation = EngineOperation<{ uids: string[] }, { items: Record<string, unknown>[] }>;
const view = (engine: string, field: string, fields: string): ViewOperation =>
  defineOperation(engine, `query($uids: [String!]!) { result: ${field}(resource_uid: $uids) { items { ${fields} } } }`);

/** What the engines know of a resource by themselves: block of the answer -> the engine and what it is asked. */
const VIEWS = {
  identity: view('iam', 'iam_identities', 'kind human enabled console mfa keys last_used_at admin privileged external trusts'),
  exposure: view('network-security', 'network_exposures', 'exposure ports { protocol from to } sources changed_at'),
  data: view('datasec', 'data_stores', 'kind public encrypted customer_key versioned logged replicated'),
} as const;

interface Paths {
  items: { path_id: string; severity: Severity | null; likelihood: number | null; entry: string; target: string }[];
  total: number;
}
/** The paths that begin at a resource, go through it or lead to it. */
const paths = defineOperation<{ uids: string[] }, Paths>(
  'attack-path',
  'query($uids: [String!]) { result: attack_paths(from: $uids, page_size: 50) { items { path_id severity likelihood entry target } total } }',
);

/** Findings and related resources that one block tells at most. */
const MOST = 50;
const SECRET = /secret|credential|password|token|private.?key/i;

/**
 * What all engines know of one resource; null when the tenant has no such asset. Engines that the role may not read are restricted and never
 * asked, those that do not answer in time are degraded.
 */
export async function assetContext(context: EngineContext, resourceUid: string) {
  const found = await runOperation(context, asset, { uid: resourceUid });
  if (found === null) return null;
  const missing: Missing = { degraded: new Set(), restricted: new Set() };
  const [related, edges, over, identity, exposure, data] = await Promise.all([
    relatedFindings(context, resourceUid),
    runOperation(context, relationships, { uid: resourceUid }),
    answerOf(context, missing, paths, resourceUid),
    blockOf(context, missing, 'identity', resourceUid),
    blockOf(context, missing, 'exposure', resourceUid),
    blockOf(context, missing, 'data', resourceUid),
  ]);
  for (const segment of related.degraded) missing.degraded.add(segment);
  for (const segment of related.restricted) missing.restricted.add(segment);
  const open = related.items.filter(({ status }) => CLOSABLE.includes(status));
  const { business_context: owner, ...facts } = found;
  return {
    ...facts,
    owner,
    identity,
    exposure,
    data: { ...data, data_classes: owner.data_classes },
    findings: countsOf(open),
    vulnerabilities: blockOfFindings(open, ({ cve, engine }) => cve !== null || engine === 'vulnerability'),
    secrets: blockOfFindings(
      open,
      ({ cve, engine, rule_id, title }) => cve === null && /secops|datasec/.test(engine) && SECRET.test(`${rule_id} ${title}`),
    ),
    compliance: await complianceOf(context, found.provider, open),
    related_assets: relatedOf(resourceUid, edges),
    paths: { available: over !== null, total: over?.total ?? 0, items: over?.items ?? [] },
    degradedEngines: [...missing.degraded],
    restrictedEngines: [...missing.restricted],
  };
}

/** View segments of engines that say nothing. */
interface Missing {
  readonly degraded: Set<string>;
  readonly restricted: Set<string>;
}

async function blockOf(context: EngineContext, missing: Missing, name: keyof typeof VIEWS, uid: string) {
  const answer = await answerOf(context, missing, VIEWS[name], uid);
  return { available: answer !== null, item: answer?.items[0] ?? null };
}

/** What an engine says of a resource; null where the caller may not ask it, or it does not answer in time. */
async function answerOf<Result>(
  context: EngineContext,
  { degraded, restricted }: Missing,
  operation: EngineOperation<{ uids: string[] }, Result>,
  uid: string,
): Promise<Result | null> {
  const facts = context.services.findingEngines.find(({ engine }) => engine === operation.engine)!;
  if (!holds(context.auth, facts.permission)) {
    restricted.add(facts.viewSegment);
    return null;
  }
  try {
    return await runOperation(context, operation, { uids: [uid] }, context.services.config.FAN_OUT_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof PalisadeError) || !['UPSTREAM_UNAVAILABLE', 'INTERNAL'].includes(error.code)) throw error;
    degraded.add(facts.viewSegment);
    return null;
  }
}

function countsOf(open: readonly FindingItemJson[]) {
  const engines = new Map<string, { engine: string; total: number } & Record<Severity, number>>();
  for (const { engine, severity } of open) {
    const counts = engines.get(engine) ?? { engine, total: 0, critical: 0, high: 0, medium: 0, low: 0, info: 0 };
    engines.set(engine, { ...counts, total: counts.total + 1, [severity]: counts[severity] + 1 });
  }
  return [...engines.values()];
}

function blockOfFindings(open: readonly FindingItemJson[], of: (finding: FindingItemJson) => boolean) {
  const found = open.filter(of);
  const items = found.slice(0, MOST).map(({ engine, finding_id, severity, rule_id, title, status }) => ({
    engine,
    findingId: finding_id,
    severity,
    ruleId: rule_id,
    title,
    status,
  }));
  return { total: found.length, items };
}

async function complianceOf(context: EngineContext, provider: Provider, open: readonly FindingItemJson[]) {
  const rules = await readRules(
    context,
    [...new Set(open.map(({ rule_id }) => rule_id))],
    context.services.config.FAN_OUT_TIMEOUT_MS,
  ).catch(() => null);
  if (rules === null) return { available: false, controlMappings: [] };
  const failed = rules.flatMap((rule) => rule?.controls ?? []).map((control) => ({ ...mapControl(control, provider), status: 'FAIL' }));
  const distinct = new Map(failed.map((control) => [`${control.framework} ${control.controlId}`, control]));
  return { available: true, controlMappings: [...distinct.values()] };
}

function relatedOf(uid: string, edges: Edges | null) {
  const all = edges?.edges ?? [];
  const items = all
    .slice(0, MOST)
    .map(({ from, to, kind }) => ({ resource_uid: from === uid ? to : from, kind, direction: from === uid ? 'out' : 'in' }));
  return { total: all.length, cut: edges?.cut === true || all.length > MOST, items };
}
