// An estate of some size in which every filter of a list selects many findings, few or none: accounts, regions, types, rules and runs as skewed as real ones.
import { createEngineContext, getAuditLog } from '../kit/engine/create-context.js';
import type { SeenAsset } from '../kit/engine/ingest-input.js';
import type { FindingFacts } from '../kit/engine/finding-facts.js';
import { FindingStore } from '../kit/findings/store.js';
import { importContext } from '../processes/import-report.js';
import { PROVIDERS, SEVERITIES } from '../schema/model.js';
import type { Observation } from '../schema/observations.js';
import type { Deployment } from './deployment.js';
import { observation } from './observations.js';

const BATCH = 1_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
/** Findings that one run reports. */
const RUN = 2_500;
/** Findings of one resource, on average. */
const A_RESOURCE = 5;
/** One of this many findings is seen to pass by a later run. */
const PASSED = 9;

/** A number from 0 up to 1 that `n` and `salt` decide. */
function drawn(n: number, salt: number): number {
  let x = Math.imul(n ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}
const skewed = (n: number, salt: number, most: number): number => Math.floor(most * drawn(n, salt) ** 2);

/** The n-th observation: of a rule with one title, on a resource with one name. */
export function estateObservation(n: number): Observation {
  const rule = skewed(n, 1, 300);
  const resource = Math.floor(n / A_RESOURCE);
  return {
    ...observation(n),
    rule_id: `rule_${rule}`,
    title: `Setting ${rule} of the benchmark should be switched on`,
    severity: SEVERITIES[skewed(rule, 2, 5)]!,
    resource_uid: `arn:aws:s3:::estate-${resource}`,
    resource_name: `estate-${resource}`,
    resource_type: `type_${skewed(resource, 3, 60)}`,
    provider: PROVIDERS[skewed(resource, 4, 7)]!,
    account_id: `account-${skewed(resource, 5, 40)}`,
    region: `region-${skewed(resource, 6, 20)}`,
    discriminator: `${n}`,
  };
}

/** Gives an engine of the deployment's tenant the findings `from` up to `to`, run after run, a part of them resolved. */
export async function fillEstate(
  { opened: { services }, tenantId }: Deployment,
  facts: FindingFacts,
  from: number,
  to: number,
): Promise<void> {
  const store = new FindingStore(services, getAuditLog(services), facts, tenantId);
  for (let start = from; start < to; start += BATCH) {
    const number = Math.floor(start / RUN);
    const run = { scan_run_id: `run-${number}`, at: new Date(START + (number * DAY) / 8), format: 'bench' };
    const seen = Array.from({ length: Math.min(BATCH, to - start) }, (_, n) => store.prepare(run, estateObservation(start + n)));
    await store.ingest(run, seen);
    const later = { ...run, scan_run_id: `later-${number}`, at: new Date(run.at.getTime() + DAY / 16) };
    const passing = seen.filter((_, n) => n % PASSED === 0).map((one) => ({ ...one, result: 'PASS' as const }));
    await store.closePassed(later, await store.ingest(later, passing));
  }
}

/** Gives the tenant's inventory the resources `from` up to `to`. */
export async function fillInventory({ opened: { services }, tenantId }: Deployment, from: number, to: number): Promise<void> {
  const context = createEngineContext(services, 'scans', await importContext(services, tenantId), new AbortController().signal);
  const run = { scan_run_id: 'inventory', at: new Date(START) };
  for (let start = from; start < to; start += BATCH) {
    const assets = Array.from({ length: Math.min(BATCH, to - start) }, (_, n): SeenAsset => {
      const { resource_uid, resource_type, resource_name, provider, account_id, region } = estateObservation((start + n) * A_RESOURCE);
      const place = { provider, account_id, region, resource_type, resource_name };
      return { ...place, resource_uid, configuration: { versioning: false, tags: { team: `team-${n % 20}` } } };
    });
    await services.ingest.assets(context, run, assets, []);
  }
}
