import { readCsv } from '../importers/readers/csv/records.js';
import { readHead } from '../importers/readers/source.js';
import type { ReportSource } from '../importers/types.js';
import { idOfCve } from './cve-id.js';
import { NotOfFeed } from './kinds.js';
import { wholeRecords } from './whole-records.js';

/** One prediction: probabilities from 0 to 1. */
export interface EpssScore {
  readonly cve: string;
  readonly epss: number;
  readonly percentile: number | null;
}

/** The line before the header is a comment: `#model_version:v2025.03.14,score_date:2025-08-26T12:55:00Z`. */
const RULES = { columns: ['cve', 'epss'], preamble: 2 } as const;
const VERSION = /^#.*?\bscore_date:([^,\s]+)/m;
const HEAD = 1_024;

/** The day that the scores are of, as the file tells it. */
export const epssVersion = async (source: ReportSource): Promise<string | null> => VERSION.exec(await readHead(source, HEAD))?.[1] ?? null;

/** Reads the scores of FIRST, one after the other. @throws NotOfFeed when the file is none, or at the first row that cannot be read */
export async function* readEpss(source: ReportSource): AsyncGenerator<EpssScore> {
  for await (const { value: row, position } of wholeRecords(readCsv(source, RULES))) {
    const epss = probabilityOf(row['epss']);
    if (epss === undefined) throw new NotOfFeed(`${position}: the score is no probability from 0 to 1`);
    const cve = idOfCve(row['cve'] ?? '');
    if (cve !== undefined) yield { cve, epss, percentile: probabilityOf(row['percentile']) ?? null };
  }
}

function probabilityOf(text: string | undefined): number | undefined {
  const number = text === undefined || text.trim() === '' ? NaN : Number(text);
  return number >= 0 && number <= 1 ? number : undefined;
}
