import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { readOpenFindingsKey, type OpenFindings } from '../../../kit/engine/open-findings.js';
import { enginesOf, READERS, type Reader } from '../../../kit/findings/readers.js';

type Engines = readonly Pick<FindingFacts, 'engine' | 'permission'>[];

/** Engine -> its open findings of an asset; engines without any are left out. */
export type OpenByEngine = Readonly<Record<string, OpenFindings>>;

/** What lists of assets are ordered by: the highest risk score of open findings, the sum of all, and their number. */
export interface RiskSums {
  readonly max: number;
  readonly sum: number;
  readonly open: number;
}
/** The sums of what each role reads. */
export type RiskColumns = Readonly<Record<Reader, RiskSums>>;

const NONE: RiskSums = { max: 0, sum: 0, open: 0 };
export const NO_RISK = Object.fromEntries(READERS.map((reader) => [reader, NONE])) as unknown as RiskColumns;

/** The sums over the findings of some engines. */
export function riskSums(open: OpenByEngine, engines: readonly string[]): RiskSums {
  let { max, sum, open: count } = NONE;
  for (const engine of engines)
    for (const [key, n] of Object.entries(open[engine] ?? {})) {
      const { risk_score } = readOpenFindingsKey(key);
      max = Math.max(max, risk_score);
      sum += risk_score * n;
      count += n;
    }
  return { max, sum, open: count };
}

/** The open findings of an asset after a change in one engine. */
export function changedOpen(before: OpenByEngine, engine: string, change: OpenFindings): OpenByEngine {
  const counts: Record<string, number> = { ...before[engine] };
  for (const [key, step] of Object.entries(change)) {
    const count = (counts[key] ?? 0) + step;
    if (count > 0) counts[key] = count;
    else delete counts[key];
  }
  const { [engine]: _, ...others } = before;
  return Object.keys(counts).length > 0 ? { ...others, [engine]: counts } : others;
}

/** The columns of an asset that has these open findings. */
export function openColumns(open: OpenByEngine, engines: Engines): { open_findings: OpenByEngine; risk: RiskColumns } {
  const sums = READERS.map((reader) => [reader, riskSums(open, enginesOf(reader, engines))] as const);
  return { open_findings: open, risk: Object.fromEntries(sums) as unknown as RiskColumns };
}
