import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detectFormat, fileSource, importers, readHead } from '../importers/index.js';

/** What became of one real report. */
export interface SampleFigures {
  /** Its folder and name among the samples. */
  readonly file: string;
  /** The format that it was detected to be. */
  readonly format: string;
  readonly records: number;
  /** Records that could not be read. */
  readonly broken: number;
  /** Findings, passed checks among them. */
  readonly observations: number;
  /** Resources, components, events and indicators. */
  readonly facts: number;
  /** How many records the samples' manifest names, where it does. */
  readonly manifest: number | null;
}

const COLUMNS = ['file', 'format', 'records', 'broken', 'observations', 'facts', 'manifest'] as const;
const FACTS: ReadonlySet<string> = new Set(['asset', 'component', 'event', 'indicator', 'last_access', 'assessment']);
/** Kinds of samples that are no reports: rules, feeds, what is expected of others, and descriptions of interfaces with what is expected of each. */
const NO_REPORTS: ReadonlySet<string> = new Set(['expected_labels', 'sigma', 'epss_csv', 'kev_json', 'openapi']);

/** Reads all samples that are reports, each as an import without options does; null on a machine that has no samples. */
export async function readSamples(folder: string): Promise<SampleFigures[] | null> {
  const manifest = join(folder, 'manifest.tsv');
  if (!existsSync(manifest)) return null;
  const figures: SampleFigures[] = [];
  for (const line of readFileSync(manifest, 'utf8').trim().split('\n').slice(1)) {
    const [file = '', kind = '', , , records = ''] = line.split('\t');
    if (!NO_REPORTS.has(kind)) figures.push(await figuresOf(folder, file, Number(records)));
  }
  return figures;
}

async function figuresOf(folder: string, file: string, told: number): Promise<SampleFigures> {
  const source = fileSource(join(folder, file));
  const format = detectFormat(await readHead(source));
  const counts = { records: 0, broken: 0, observations: 0, facts: 0 };
  if (format !== undefined)
    for await (const { kind } of format.read(source, {})) {
      if (kind === 'record') counts.records++;
      else if (kind === 'broken' || kind === 'truncated') counts.broken++;
      else if (kind === 'observation') counts.observations++;
      else if (FACTS.has(kind)) counts.facts++;
    }
  return { file, format: format?.name ?? '', ...counts, manifest: told > 0 ? told : null };
}

/** Figures as a table of tabulators, one report a line. */
export const writeFigures = (figures: readonly SampleFigures[]): string =>
  [COLUMNS, ...figures.map((row) => COLUMNS.map((name) => row[name] ?? ''))].map((cells) => `${cells.join('\t')}\n`).join('');

/** What `writeFigures` wrote. */
export const parseFigures = (text: string): SampleFigures[] =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [file = '', format = '', records, broken, observations, facts, manifest = ''] = line.split('\t');
      return {
        file,
        format,
        records: Number(records),
        broken: Number(broken),
        observations: Number(observations),
        facts: Number(facts),
        manifest: manifest === '' ? null : Number(manifest),
      };
    });

/** Why a sample has other counts than its manifest says: what stands beside the formats' fixtures. @param fixtures their folder */
export function readDoubts(fixtures: string): ReadonlyMap<string, string> {
  const doubts = new Map<string, string>();
  for (const { name } of importers) {
    const { samples } = JSON.parse(readFileSync(join(fixtures, name, 'expected.json'), 'utf8')) as {
      samples: { counts: Record<string, { why: string }> };
    };
    for (const [file, { why }] of Object.entries(samples.counts)) doubts.set(file, why);
  }
  return doubts;
}
