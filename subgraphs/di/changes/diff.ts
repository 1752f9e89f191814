import { isLeftOpen } from '../../../schema/unknown-paths.js';

/** A value that a configuration's paths lead to. */
type Value = unknown;
type Branch = Readonly<Record<string, unknown>>;

export const PATH_CHANGES = ['added', 'removed', 'changed'] as const;

/** What became of one path of a configuration. */
export interface PathChange {
  /** `ingress[0].from_port`; `tags.team` for a tag. */
  readonly path: string;
  readonly kind: (typeof PATH_CHANGES)[number];
  /** The value, cut where it is long; null where there was none, or is none any more. */
  readonly before: Value;
  readonly after: Value;
}

/** An asset as a source describes it. */
export interface Described {
  readonly configuration: Branch;
  readonly tags: Branch;
  /** Paths whose values the source does not know yet, or keeps out: what they change to is not known either. */
  readonly unknown_paths: readonly string[];
  readonly sensitive_paths: readonly string[];
}

/** Paths that one change names; more are counted. */
const MOST_PATHS = 200;
/** Letters of a value's JSON that a change keeps. */
const LONGEST = 500;
/** Levels that are compared path by path; what lies deeper is compared as a whole. */
const DEEPEST = 32;

const isBranch = (value: Value): value is Branch => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as a change shows it: as it is, or the beginning of its JSON. */
function shown(value: Value): Value {
  if (value === undefined) return null;
  const json = JSON.stringify(value);
  return json.length <= LONGEST ? value : `${json.slice(0, LONGEST).toWellFormed()}…`;
}

/**
 * The paths in which two descriptions of an asset differ, in the order of the newer one, then what is gone; elements of lists are compared place
 * by place. Null and nothing are the same, as sources differ in whether they write what is not set.
 * @returns the first 200 paths, and how many there are beyond
 */
export function diffDescriptions(before: Described, after: Described): { paths: PathChange[]; more: number } {
  const closed = new Set([before, after].flatMap(({ unknown_paths, sensitive_paths }) => [...unknown_paths, ...sensitive_paths]));
  const [openBefore, openAfter] = [new Set(before.unknown_paths), new Set(after.unknown_paths)];
  const paths: PathChange[] = [];
  let more = 0;
  const note = (path: string, old: Value, now: Value): void => {
    if (paths.length === MOST_PATHS) more++;
    else paths.push({ path, kind: old == null ? 'added' : now == null ? 'removed' : 'changed', before: shown(old), after: shown(now) });
  };
  const compare = (path: string, old: Value, now: Value, depth: number): void => {
    if (closed.has(path) || (old == null && now == null) || old === now) return;
    const lists = Array.isArray(old) && Array.isArray(now);
    if (depth < DEEPEST && (lists || (isBranch(old) && isBranch(now)))) {
      const [olds, nows] = [old as Branch, now as Branch];
      for (const key of new Set([...Object.keys(nows), ...Object.keys(olds)])) {
        const [had, has] = [Object.hasOwn(olds, key), Object.hasOwn(nows, key)];
        const at = lists ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
        // what one of them does not tell has not changed
        if (!lists && ((!had && isLeftOpen(openBefore, at)) || (!has && isLeftOpen(openAfter, at)))) continue;
        compare(at, had ? olds[key] : null, has ? nows[key] : null, depth + 1);
      }
    } else if (JSON.stringify(old) !== JSON.stringify(now)) note(path, old, now);
  };
  compare('', before.configuration, after.configuration, 0);
  // where the configuration has the tags, they are told once
  if (!Object.hasOwn(after.configuration, 'tags')) compare('tags', before.tags, after.tags, 1);
  return { paths, more };
}
