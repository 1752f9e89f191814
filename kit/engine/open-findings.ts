import type { Severity } from '../../schema/model.js';
import type { Database } from '../store/database.js';
import type { TransactionOf } from '../store/query.js';
import type { FindingFacts } from './finding-facts.js';

/** Open findings by severity and risk score: `critical|75` -> how many. */
export type OpenFindings = Readonly<Record<string, number>>;

export const openFindingsKey = ({ severity, risk_score }: { severity: Severity; risk_score: number }): string =>
  `${severity}|${risk_score}`;

/** What one kind of open findings is, by its key. */
export function readOpenFindingsKey(key: string): { severity: Severity; risk_score: number } {
  const [severity, risk] = key.split('|');
  return { severity: severity as Severity, risk_score: Number(risk) };
}

/** resource_uid -> how many open findings more, or fewer, one engine has on it. */
export type OpenFindingChanges = ReadonlyMap<string, OpenFindings>;

/**
 * Takes note, in the transaction that changes findings of one engine, of what becomes of the open findings of resources.
 * @param services of the process
 */
export type OpenFindingsSink = (
  services: { readonly database: Database; readonly findingEngines: readonly FindingFacts[] },
  tenantId: string,
  engine: string,
  changes: OpenFindingChanges,
  transaction: TransactionOf,
) => Promise<void>;
