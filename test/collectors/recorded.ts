import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CollectedRecord, Collector, NotAnswered, RecordedAnswer, Target, ToldWhole } from '../../collectors/types.js';
import { AssetValue, type Surroundings } from '../../catalog/cel/asset-value.js';
import { openToInternet } from '../../catalog/cel/firewall/reachability.js';
import { fileSource, openReport } from '../../importers/index.js';
import type { AssetInput, ImportItem } from '../../importers/types.js';

/** All that a collector tells. */
export async function recordedOf(collector: Collector, target: Target, signal = new AbortController().signal) {
  const told: CollectedRecord[] = [];
  for await (const one of collector.collect!(target, signal)) told.push(one);
  const missing = told.filter((one): one is NotAnswered => 'not_answered' in one).map(({ part: _part, ...one }) => one);
  const whole = told.find((one): one is ToldWhole => 'whole' in one)?.whole;
  return { told, missing, whole, answers: told.filter((one): one is RecordedAnswer => 'response' in one) };
}

/** What the report of recorded lines tells: its format, its assets by name, and why it is incomplete. */
export async function readRecorded(told: readonly CollectedRecord[], account_id: string) {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-recorded-'));
  try {
    const path = join(folder, 'answers.jsonl');
    writeFileSync(path, told.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const report = await openReport(fileSource(path));
    const items: ImportItem[] = [];
    for await (const item of report.read({ account_id })) items.push(item);
    const assets = items.flatMap((item) => (item.kind === 'asset' ? [item.asset] : []));
    // such a thing would be another one in each run
    const placed = assets.find(({ resource_uid }) => resource_uid.startsWith('terraform:'));
    if (placed !== undefined) throw new Error(`${placed.resource_uid} is named by the place of its answer`);
    const broken = items.flatMap((item) => (item.kind === 'broken' || item.kind === 'unanswered' ? [item.reason] : []));
    return { format: report.format, items, assets, broken };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ALONE: Surroundings = { companions: () => undefined, resources: () => undefined };

/** Whether a firewall, or a rule of one, lets the internet in at the ports of SSH or RDP, as rules of the catalog read it. @throws where it does not tell its rules */
export function isOpen(asset: AssetInput): boolean {
  const { resource_uid, resource_type, provider, configuration, unknown_paths, region } = asset;
  const subject = { resource_uid, resource_type, provider, configuration, unknown_paths, region: region ?? 'global' };
  const traffic = new AssetValue(subject, ALONE).traffic();
  return [22, 3_389].some((port) => openToInternet(traffic, 'tcp', port) === true);
}
