import type { AuditInput, SharedAction, Told } from '../audit/entry.js';
import type { FindingStatus } from '../../schema/model.js';
import { findingTarget } from './row.js';

/** A move of a finding, as the audit log tells it. */
export interface Move {
  readonly action: SharedAction;
  /** Statuses; null where there was none, and where it stays. */
  readonly from: FindingStatus | null;
  readonly to: FindingStatus | null;
  /** What is told of it beside that. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Moves that share an entry: whoever reads one of them reads the row of all. */
const MOST_SHARED = 200;

const sharesOf = (targets: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(targets.length / MOST_SHARED) }, (_, n) => targets.slice(n * MOST_SHARED, (n + 1) * MOST_SHARED));

/** The audit entries of findings of one engine that one transaction moves: what moved in the same way shares a row, up to a number (decision 20). */
export class MoveEntries {
  private readonly moves = new Map<string, Move & { targets: string[] }>();

  /** @param told who moves them, and what every entry tells in its `detail` */
  constructor(
    private readonly engine: string,
    private readonly told: Omit<Told, 'target_email'>,
  ) {}

  add(findingId: string, move: Move): void {
    const key = JSON.stringify(move);
    let alike = this.moves.get(key);
    if (!alike) this.moves.set(key, (alike = { ...move, targets: [] }));
    alike.targets.push(findingTarget(this.engine, findingId));
  }

  get all(): AuditInput[] {
    return [...this.moves.values()].flatMap(({ action, from, to, detail, targets }) => {
      const entry = { action, ...this.told, detail: { from, to, ...this.told.detail, ...detail } };
      return sharesOf(targets).map((target): AuditInput => (target.length === 1 ? { ...entry, target: target[0]! } : { ...entry, target }));
    });
  }
}
