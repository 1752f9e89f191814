import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findImporter } from '../../importers/index.js';
import { bufferSource } from '../../importers/readers/source.js';
import type { ImportItem, ImportOptions, Observation, ReportSource, RuleInput } from '../../importers/types.js';
import { shared } from '../support/shared.js';

/** What an importer gave, by kind. */
export interface Gathered {
  items: ImportItem[];
  observations: Observation[];
  rules: RuleInput[];
  records: number;
  broken: Extract<ImportItem, { kind: 'broken' }>[];
  truncated: Extract<ImportItem, { kind: 'truncated' }>[];
}

/** Reads a whole report, given as a source, bytes, text or a value to serialize. */
export async function readAll(format: string, report: unknown, options: ImportOptions = {}): Promise<Gathered> {
  const importer = findImporter(format);
  if (importer === undefined) throw new Error(`no importer ${format}`);
  const items: ImportItem[] = [];
  for await (const item of importer.read(toSource(report), options)) items.push(item);
  return {
    items,
    observations: items.flatMap((item) => (item.kind === 'observation' ? [item.observation] : [])),
    rules: items.flatMap((item) => (item.kind === 'rule' ? [item.rule] : [])),
    records: items.filter((item) => item.kind === 'record').length,
    broken: items.filter((item) => item.kind === 'broken'),
    truncated: items.filter((item) => item.kind === 'truncated'),
  };
}

function toSource(report: unknown): ReportSource {
  if (typeof report === 'string') return bufferSource(Buffer.from(report));
  if (report instanceof Uint8Array) return bufferSource(report);
  if (report !== null && typeof report === 'object' && 'open' in report) return report as ReportSource;
  return bufferSource(Buffer.from(JSON.stringify(report)));
}

/** The samples' folder; undefined where it is absent. */
export const SAMPLES = shared('data/samples');

/** A row of the samples' manifest. */
export interface Sample {
  file: string;
  path: string;
  format: string;
  records: number;
}

/** All samples that the manifest names. */
export function listSamples(): Sample[] {
  if (SAMPLES === undefined) return [];
  const lines = readFileSync(join(SAMPLES, 'manifest.tsv'), 'utf8').trim().split('\n').slice(1);
  return lines.map((line) => {
    const [file = '', format = '', , , records = ''] = line.split('\t');
    return { file, path: join(SAMPLES as string, file), format, records: Number(records) };
  });
}
