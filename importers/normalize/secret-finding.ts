import { REDACTED } from '../../redaction/secret-keys.js';
import type { Severity } from '../../schema/model.js';
import type { ImportItem } from '../types.js';
import { toReferences, type PlaceDraft, type ReportItems } from './observation.js';
import { wordsOf } from './plain-title.js';
import { isGuess, secretClass } from './secret-classes.js';
import { cweControls } from './taxonomy.js';

const GUIDANCE = 'Revoke the secret, remove it from the place and its history, and keep its successor in a secret store.';
/** Shorter texts stand in too many innocent places to be taken out of them. */
const MIN_SECRET = 4;

/** A secret that a scanner found. Nothing here may hold it: `secrets` says what is to be taken out of all texts. */
export interface SecretFinding {
  /** The scanner. */
  source: string;
  tool: string;
  /** The scanner's own name of the rule or detector. */
  detector: string;
  /** The engine that owns the place: `secops` for code, `datasec` for stores of data. */
  engine?: 'secops' | 'datasec';
  description?: string | undefined;
  /** The scanner's own word for how bad it is, where it has one. */
  severity?: Severity | undefined;
  /** The scanner has tried it, and it works. */
  verified?: boolean | undefined;
  file?: string | undefined;
  startLine?: number | undefined;
  endLine?: number | undefined;
  startColumn?: number | undefined;
  /** Of the history of a repository: where a line stands for ever. */
  commit?: string | undefined;
  urls?: readonly (string | undefined)[];
  evidence?: Record<string, unknown>;
  /** Which of the secrets of its class in its file it is, from 1. */
  rank?: number;
  /** What earlier releases told it apart by, where that was another. */
  formerly?: { rule_id: string; discriminator: string };
  /** Texts that the report has for the secret and what it matched. */
  secrets: readonly (string | undefined)[];
  place: PlaceDraft;
  position: string;
}

/** The rule of a detector's findings: the class of the secret that all scanners know, else the detector's own name. */
export const secretRule = (detector: string): string => secretClass(detector)?.id ?? detector;

/**
 * The items of one secret: the rule the first time, and the observation of the engine that owns the place. A secret is known by its class
 * and its place, and by nothing that is made of itself: who can read a digest can try words against it. In a history the place is commit
 * and line; else the file, and which of its secrets it is from the top, so that lines may move.
 */
export function secretItems(found: SecretFinding, items: ReportItems): ImportItem[] {
  const { detector, source, engine = 'secops', verified, commit, startLine } = found;
  const known = secretClass(detector);
  const ruleId = secretRule(detector);
  const secrets = found.secrets.filter((secret) => secret !== undefined && secret.trim().length >= MIN_SECRET) as string[];
  const clean = (text: string | undefined): string | undefined => withoutSecrets(text, secrets);
  const file = clean(found.file);
  const label = known?.label ?? wordsOf(clean(detector) ?? 'secret');
  const severity = found.severity ?? (isGuess(ruleId) ? 'medium' : 'high');
  const rank = found.rank ?? 1;
  const about = {
    severity: verified === true ? ('critical' as const) : severity,
    description: clean(found.description),
    remediation: { guidance: GUIDANCE },
    references: toReferences(found.urls?.map(clean) ?? []),
    controls: cweControls(['CWE-798']),
  };
  const draft = {
    about,
    place: { ...found.place, resource_name: file ?? found.place.resource_name },
    engine,
    result: 'FAIL',
    rule_id: ruleId,
    title: `${label} in ${engine === 'secops' ? 'code' : 'stored data'}`,
    source,
    discriminator: `${file ?? ''}${commit === undefined ? '' : `@${commit}:${startLine ?? ''}`}${rank > 1 ? `#${rank}` : ''}`,
    formerly: found.formerly,
    evidence: {
      kind: 'secret',
      tool: found.tool,
      detector: clean(detector),
      file,
      start_line: startLine,
      end_line: found.endLine,
      start_column: found.startColumn,
      commit,
      verified,
      ...(engine === 'datasec' && { data_classes: ['credentials'], object: file }),
      ...(found.evidence && withoutSecretsIn(found.evidence, secrets)),
    },
    position: found.position,
    content: '',
  } as const;
  return items.once(ruleId, draft, () => ({
    ...about,
    severity,
    rule_id: ruleId,
    engine,
    title: `${label} in ${engine === 'secops' ? 'code' : 'stored data'}`,
    source,
    tags: ['secret'],
  }));
}

function withoutSecrets(text: string | undefined, secrets: readonly string[]): string | undefined {
  return secrets.reduce<string | undefined>((left, secret) => left?.replaceAll(secret, REDACTED), text);
}

function withoutSecretsIn(evidence: Record<string, unknown>, secrets: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(evidence).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? withoutSecrets(value, secrets)
        : Array.isArray(value)
          ? value.map((one: unknown) => (typeof one === 'string' ? withoutSecrets(one, secrets) : one))
          : value,
    ]),
  );
}

/** Numbers the secrets of a class in a file from its top, in whatever order the scanner tells them. */
export class SecretRanks {
  private readonly lines = new Map<string, number[]>();
  private isSorted = true;

  /** Takes note of a secret: all of them, before the first is asked for. */
  see(place: SecretPlace): void {
    const key = keyOf(place);
    const lines = this.lines.get(key);
    if (lines === undefined) this.lines.set(key, [placeOf(place)]);
    else lines.push(placeOf(place));
    this.isSorted = false;
  }

  /** Which one of its file, or of the line of its commit, a secret is, from 1. */
  rankOf(place: SecretPlace): number {
    if (!this.isSorted)
      for (const [key, lines] of this.lines)
        this.lines.set(
          key,
          [...new Set(lines)].sort((one, other) => one - other),
        );
    this.isSorted = true;
    return 1 + firstFrom(this.lines.get(keyOf(place)) ?? [], placeOf(place));
  }
}

/** How many of the sorted numbers are less than `wanted`. */
function firstFrom(sorted: readonly number[], wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a secret stands. */
export interface SecretPlace {
  detector: string;
  file?: string | undefined;
  commit?: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
}

const COLUMNS = 1_000_000;
const keyOf = ({ detector, file, commit, line }: SecretPlace): string =>
  `${secretRule(detector)}\n${file ?? ''}\n${commit === undefined ? '' : `${commit}:${line ?? ''}`}`;
const placeOf = ({ line = 0, column = 0 }: SecretPlace): number => line * COLUMNS + Math.min(column, COLUMNS - 1);
