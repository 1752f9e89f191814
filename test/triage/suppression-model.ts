import { MANUAL_MOVES, type FindingStatus } from '../../schema/model.js';

/** A suppression as the model knows it. */
export interface ModelRule {
  readonly id: string;
  scope: Partial<Record<'engine' | 'rule_id' | 'resource_uid' | 'tag' | 'account_id' | 'region' | 'cve', string[]>>;
  /** Milliseconds; null: for ever. */
  expires: number | null;
}

/** A finding as the model knows it: what it would be without suppressions, and what they make of it. */
export interface ModelFinding {
  readonly id: string;
  readonly rule_id: string;
  readonly resource_uid: string;
  readonly first: number;
  account_id: string;
  region: string;
  /** A suppressed one without rules is a person's. */
  status: FindingStatus;
  held: string[];
  absent: boolean;
}

const glob = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  );

/** What the suppressions of a tenant mean, told again in the simplest way there is. */
export class SuppressionModel {
  readonly rules = new Map<string, ModelRule>();
  readonly findings = new Map<string, ModelFinding>();
  /** resource_uid -> tags */
  readonly tags = new Map<string, Record<string, string>>();
  now = 0;

  constructor(private readonly segment: string) {}

  taking(finding: ModelFinding): string[] {
    const tags = Object.entries(this.tags.get(finding.resource_uid) ?? {}).flatMap(([name, value]) => [name, `${name}=${value}`]);
    const values: Record<keyof ModelRule['scope'], (wanted: string) => boolean> = {
      engine: (wanted) => wanted === this.segment,
      rule_id: (wanted) => wanted === finding.rule_id,
      resource_uid: (wanted) => glob(wanted).test(finding.resource_uid),
      tag: (wanted) => tags.includes(wanted),
      account_id: (wanted) => wanted === finding.account_id,
      region: (wanted) => wanted === finding.region,
      cve: (wanted) => wanted === finding.rule_id,
    };
    const takes = ({ scope, expires }: ModelRule) =>
      (expires === null || expires > this.now) &&
      Object.entries(scope).every(([part, wanted]) => wanted.some(values[part as keyof ModelRule['scope']]));
    return [...this.rules.values()]
      .filter(takes)
      .map(({ id }) => id)
      .sort();
  }

  /** What the rules in force make of every finding. */
  settle(): void {
    for (const finding of this.findings.values()) {
      const taking = this.taking(finding);
      const isHeld = finding.held.length > 0;
      if (!isHeld && finding.status !== 'OPEN' && finding.status !== 'IN_PROGRESS') continue;
      if (taking.length > 0) Object.assign(finding, { status: 'SUPPRESSED', held: taking });
      else if (isHeld) Object.assign(finding, { status: finding.absent ? 'RESOLVED' : 'OPEN', held: [], absent: false });
    }
  }

  /** A run reports these findings, and nothing else of its scope. */
  report(seen: readonly ModelFinding[]): void {
    const ids = new Set(seen.map(({ id }) => id));
    for (const one of seen) {
      const known = this.findings.get(one.id);
      if (!known) this.findings.set(one.id, one);
      else {
        Object.assign(known, { account_id: one.account_id, region: one.region, absent: false });
        if (known.status === 'RESOLVED') known.status = 'OPEN';
      }
    }
    this.settle();
    for (const known of this.findings.values()) {
      if (ids.has(known.id)) continue;
      if (known.status === 'SUPPRESSED') known.absent = true;
      else if (known.status === 'OPEN' || known.status === 'IN_PROGRESS') known.status = 'RESOLVED';
    }
  }

  /** A person moves a finding. @returns whether that is allowed */
  move(finding: ModelFinding, to: FindingStatus): boolean {
    if (!MANUAL_MOVES[finding.status].includes(to)) return false;
    const opens = to === 'OPEN' || to === 'IN_PROGRESS';
    if (opens && this.taking(finding).length > 0) return false;
    const isGone = finding.status === 'SUPPRESSED' && to === 'OPEN' && finding.absent;
    Object.assign(finding, { status: isGone ? 'RESOLVED' : to, held: [], absent: false });
    return true;
  }
}
