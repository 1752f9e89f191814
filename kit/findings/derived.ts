import type { ResourceIdentity } from '../../schema/model.js';
import type { Observation, RuleInput } from '../../schema/observations.js';
import type { EngineContext, IngestSinks } from '../engine/context.js';
import type { IngestRun, PreparedObservation } from '../engine/finding-sink.js';
import { readClosable } from './closable.js';
import { CLOSABLE } from './lifecycle.js';
import { findings } from './row.js';

/** `source` of findings that engines derive from their views of the estate: neither scanners' runs nor the evaluation of rules close them. */
export const DERIVED_SOURCE = 'palisade-derived';

/** A rule of `catalog/derived/`. */
export interface DerivedFindingRule extends Pick<RuleInput, 'rule_id' | 'engine' | 'title'> {
  readonly severity: Observation['severity'];
  readonly description: string;
  readonly steps: readonly string[];
  readonly references: readonly string[];
}

/** A resource that breaks a rule. */
export interface DerivedFailure {
  readonly rule_id: string;
  readonly resource: ResourceIdentity;
  readonly discriminator?: string;
  /** What the rule's owner takes as evidence. */
  readonly evidence: Record<string, unknown>;
}

/** What an engine derives: its rules, and everything of the tenant that breaks one of them at a moment. */
export interface FindingDerivation {
  readonly rules: ReadonlyMap<string, DerivedFindingRule>;
  failures(context: EngineContext, now: Date): AsyncIterable<DerivedFailure>;
}

/** Findings written at a time. */
const BATCH = 200;

/**
 * Keeps derived findings in step with what an engine knows, at the end of a run and once a day: what breaks a rule opens, what does not any
 * more is resolved. Doing it again changes nothing; killed in the middle, the next one does what is left.
 */
export function derivedFindings({ rules, failures }: FindingDerivation): Required<Pick<IngestSinks, 'derive' | 'daily'>> {
  const derive: IngestSinks['derive'] = async (context, { scan_run_id, at }) => {
    const { ingest } = context.services;
    const run: IngestRun = { scan_run_id, at, format: DERIVED_SOURCE };
    const owners = new Map(
      [...new Set([...rules.values()].map(({ engine }) => engine))].map((owner) => [owner, ingest.findings(context, owner)]),
    );
    const waiting = new Map<string, PreparedObservation[]>();
    const broken = new Set<DerivedFindingRule>();
    const write = async (owner: string): Promise<void> => {
      const batch = waiting.get(owner) ?? [];
      waiting.delete(owner);
      if (batch.length > 0) await owners.get(owner)!.ingest(run, batch);
    };
    for await (const failure of failures(context, at)) {
      context.signal.throwIfAborted();
      const rule = rules.get(failure.rule_id)!;
      broken.add(rule);
      const batch = waiting.get(rule.engine) ?? [];
      waiting.set(rule.engine, batch);
      if (batch.push(owners.get(rule.engine)!.prepare(run, observationOf(rule, failure))) >= BATCH) await write(rule.engine);
    }
    if (broken.size > 0) await ingest.rules(context, [...broken].map(ruleOf));
    for (const [owner, sink] of owners) {
      await write(owner);
      await sink.closeUnseenOf(
        run,
        DERIVED_SOURCE,
        [...rules.values()].filter(({ engine }) => engine === owner).map(({ rule_id }) => rule_id),
      );
    }
  };
  return { derive, daily: derive };
}

/**
 * Keeps the derived findings of some resources in step: of these rules what fails there opens, all else of them is resolved. Other resources stay as
 * they are.
 * @param owner the engine that holds the findings of all these rules
 */
export async function keepDerivedOn(
  context: EngineContext,
  { scan_run_id, at }: Pick<IngestRun, 'scan_run_id' | 'at'>,
  owner: string,
  rules: ReadonlyMap<string, DerivedFindingRule>,
  resourceUids: readonly string[],
  failures: readonly DerivedFailure[],
): Promise<void> {
  const { ingest } = context.services;
  const run: IngestRun = { scan_run_id, at, format: DERIVED_SOURCE };
  const sink = ingest.findings(context, owner);
  if (failures.length > 0) {
    await ingest.rules(context, [...new Set(failures.map(({ rule_id }) => rules.get(rule_id)!))].map(ruleOf));
    const observations = failures.map((failure) => sink.prepare(run, observationOf(rules.get(failure.rule_id)!, failure)));
    for (let at = 0; at < observations.length; at += BATCH) await sink.ingest(run, observations.slice(at, at + BATCH));
  }
  const failing = new Set(failures.map(({ rule_id, resource }) => `${rule_id} ${resource.resource_uid}`));
  const open = (await readClosable(context, [owner], DERIVED_SOURCE, resourceUids)).get(owner) ?? [];
  const passed = open.filter(({ rule_id, resource_uid }) => rules.has(rule_id) && !failing.has(`${rule_id} ${resource_uid}`));
  await sink.closePassed(
    run,
    passed.map(({ _id }) => _id),
  );
}

/**
 * The resources that have derived findings of some engines which a run may close; each once, in no particular order.
 * @param seen only those that this run has confirmed or opened
 */
export async function* derivedResources(
  { services, auth }: EngineContext,
  owners: readonly string[],
  seen: { readonly scan_run_id?: string } = {},
): AsyncGenerator<string> {
  const rows = services.database.tenant(auth.tenant_id).engines(owners).collection(findings);
  const told = new Set<string>();
  const open = { ...seen, source: DERIVED_SOURCE, status: { $in: [...CLOSABLE, 'SUPPRESSED'] } };
  for await (const { resource_uid } of rows.scan(open, { fields: ['resource_uid'] })) {
    if (told.has(resource_uid)) continue;
    told.add(resource_uid);
    yield resource_uid;
  }
}

const remediationOf = ({ steps }: DerivedFindingRule) => ({ steps: steps.map((action) => ({ action })) });
const referencesOf = ({ references }: DerivedFindingRule) => references.map((url) => ({ url }));

function ruleOf(rule: DerivedFindingRule): RuleInput {
  const { rule_id, engine, title, severity, description } = rule;
  const texts = { title, description, remediation: remediationOf(rule), references: referencesOf(rule) };
  return { rule_id, engine, severity, source: DERIVED_SOURCE, ...texts };
}

function observationOf(rule: DerivedFindingRule, { resource, discriminator, evidence }: DerivedFailure): Observation {
  const { rule_id, engine, title, severity, description } = rule;
  const { resource_uid, resource_type, resource_name, provider, account_id, region } = resource;
  return {
    ...{ rule_id, engine, title, severity, description, remediation: remediationOf(rule), references: referencesOf(rule) },
    ...{ resource_uid, resource_type, provider, region, result: 'FAIL', source: DERIVED_SOURCE, position: 'inventory', evidence },
    ...(resource_name != null && { resource_name }),
    ...(account_id != null && { account_id }),
    ...(discriminator !== undefined && { discriminator }),
  };
}
