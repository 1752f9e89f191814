import { kindOf } from './fields.js';
import { ValueBalance } from './balance.js';
import type { PathNode } from './paths.js';
import { faultOfValue, type RecordLimits } from '../limits.js';
import { findNextRecord, isCleanEnd, isShaped } from './resync.js';
import type { ByteWindow } from './window.js';
import { OPEN_ARRAY, OPEN_OBJECT } from './bytes.js';

/**
 * How a value ended: `more` bytes are needed, it was skipped, it was read, or it is broken. `again` says that reading goes
 * on at a record that was found inside or behind the broken one, not after it.
 */
export type ValueEnd =
  | { kind: 'more' }
  | { kind: 'skipped' }
  | { kind: 'value'; value: unknown; offset: number }
  | { kind: 'broken'; reason: string; offset: number; again: boolean };

const MORE: ValueEnd = { kind: 'more' };
const SKIPPED: ValueEnd = { kind: 'skipped' };

/** Reads one value after another out of a window, whole or not at all, and finds the way back after damage. */
export class ValueReader {
  /**
   * What the last element left behind: `broken` while nothing followed it, `junk` once more of its remains were met. Junk
   * is dropped with the record that it belongs to, up to the next whole element.
   */
  damage: 'none' | 'broken' | 'junk' = 'none';
  private readonly balance = new ValueBalance();
  private node: PathNode | undefined;
  private start = 0;
  private oversized = false;
  private listed = false;
  private perLine = false;

  constructor(
    private readonly window: ByteWindow,
    private readonly limits: RecordLimits,
  ) {}

  /** Starts with the value at the window's place; without a wanted node it will be skipped. `listed`: it has neighbours. */
  begin(node: PathNode | undefined, listed: boolean, perLine: boolean): void {
    const { window } = this;
    this.node = node?.leaf === undefined ? undefined : node;
    this.listed = listed;
    this.perLine = perLine;
    this.start = window.offset();
    this.oversized = false;
    window.keep = this.node === undefined ? -1 : window.at;
    this.balance.start(window.bytes, window.at);
  }

  /** Goes on with the value as far as there are bytes. */
  read(): ValueEnd {
    const { window, node } = this;
    const stop = this.balance.scan(window.bytes, window.at, window.end);
    if (stop === -1) {
      window.at = window.end;
      if (window.keep !== -1 && window.end - window.keep > this.limits.maxRecordBytes) {
        const next = this.findNext(window.end);
        if (next !== -1) return this.broken('is not valid JSON', next);
        this.oversized = true;
        window.keep = -1;
      }
      return window.ended ? this.end() : MORE;
    }
    window.at = stop;
    if (node === undefined) return SKIPPED;
    if (this.oversized || stop - window.keep > this.limits.maxRecordBytes)
      return this.broken(`is larger than ${this.limits.maxRecordBytes} bytes`);
    if (this.balance.deepest > this.limits.maxDepth) return this.broken(`is nested deeper than ${this.limits.maxDepth} levels`);
    return this.parse(node, stop);
  }

  /** Drops what is left of a damaged neighbour. */
  drop(): void {
    this.damage = 'junk';
  }

  private parse(node: PathNode, stop: number): ValueEnd {
    const { window } = this;
    const start = window.keep;
    const text = window.text(start, stop);
    const isContainer = window.bytes[start] === OPEN_OBJECT || window.bytes[start] === OPEN_ARRAY;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      const isClean = this.perLine || isCleanEnd(window.bytes, stop, window.end);
      const next = this.findNext(isClean ? stop : window.end);
      if (this.damage !== 'none' && !isContainer && next === -1) return this.junk();
      return this.broken('is not valid JSON', next);
    }
    // Most records show by their bytes that they keep to the limits: only the others are walked.
    const fault = this.balance.longest > this.limits.maxTextBytes || text.includes('\\u0000') ? faultOfValue(value, this.limits) : null;
    if (fault !== null) return this.broken(fault);
    // Among objects anything else is the torn-off beginning of one, or no record at all.
    if (this.damage === 'none' && this.listed && !isContainer && node.shape !== undefined)
      return this.broken(`should be an object, found ${kindOf(value)}`);
    const isWhole = this.damage === 'none' || (this.damage === 'broken' && isContainer) || isShaped(value, node.shape);
    if (!isWhole) return this.junk();
    this.damage = 'none';
    window.keep = -1;
    if (node.shape === undefined && value !== null && typeof value === 'object' && !Array.isArray(value))
      node.shape = new Set(Object.keys(value));
    return { kind: 'value', value, offset: this.start };
  }

  /** The report ends inside the value: it is cut there, unless the value was damaged and swallowed whole neighbours. */
  private end(): ValueEnd {
    const next = this.findNext(this.window.end);
    return next === -1 ? MORE : this.broken('is not valid JSON', next);
  }

  private findNext(end: number): number {
    const { window, node } = this;
    if (!this.listed || window.keep === -1 || this.balance.deepest === 0) return -1;
    return findNextRecord(window.bytes, window.keep, end, node?.shape, this.perLine);
  }

  private junk(): ValueEnd {
    this.damage = 'junk';
    this.window.keep = -1;
    return SKIPPED;
  }

  private broken(what: string, next = -1): ValueEnd {
    const { window } = this;
    window.keep = -1;
    if (next !== -1) window.at = next;
    if (this.listed) this.damage = next === -1 ? 'broken' : 'none';
    return { kind: 'broken', reason: `the record ${what}`, offset: this.start, again: next !== -1 };
  }
}
