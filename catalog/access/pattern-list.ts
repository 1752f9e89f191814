import { matchesPattern } from '../cel/policy.js';

type Listed = readonly (string | null)[];

/** Shorter lists are looked through as they are. */
const SHORT = 16;
const WILD = /[*?]/;
const lists = new WeakMap<Listed, PatternList>();

/** Whether one of some patterns holds a text: null where one that is not known yet may. */
export function anyHolds(patterns: Listed, text: string): boolean | null {
  if (patterns.length > SHORT) {
    const list = lists.get(patterns) ?? new PatternList(patterns);
    lists.set(patterns, list);
    return list.holds(text);
  }
  let open = false;
  for (const pattern of patterns) {
    if (pattern === null) open = true;
    else if (matchesPattern(pattern, text)) return true;
  }
  return open ? null : false;
}

/** A long list of patterns, as those of policies that name every action: what it may hold is found by what stands before the first colon. */
class PatternList {
  private readonly plain = new Set<string>();
  private readonly byHead = new Map<string, string[]>();
  private readonly anywhere: string[] = [];
  private readonly open: boolean;

  constructor(patterns: Listed) {
    this.open = patterns.includes(null);
    for (const pattern of patterns) {
      if (pattern === null) continue;
      const lower = pattern.toLowerCase();
      const head = headOf(lower);
      if (!WILD.test(lower)) this.plain.add(lower);
      else if (head === undefined || WILD.test(head)) this.anywhere.push(lower);
      else {
        const list = this.byHead.get(head);
        if (list === undefined) this.byHead.set(head, [lower]);
        else list.push(lower);
      }
    }
  }

  holds(text: string): boolean | null {
    const lower = text.toLowerCase();
    const isHeld = (pattern: string) => matchesPattern(pattern, lower);
    const near = this.byHead.get(headOf(lower) ?? '') ?? [];
    if (this.plain.has(lower) || near.some(isHeld) || this.anywhere.some(isHeld)) return true;
    return this.open ? null : false;
  }
}

const headOf = (text: string): string | undefined => (text.includes(':') ? text.slice(0, text.indexOf(':')) : undefined);
