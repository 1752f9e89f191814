import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { EventInput, Observation, RuleInput } from '../../schema/observations.js';
import type { Provider } from '../../schema/model.js';
import { observablesOf, type Observable } from '../../schema/observables.js';

/** That a rule which looks for something in events sees it in one. */
export interface EventMatch {
  readonly rule_id: string;
  /** Of a rule that counts different values, those of the event; of a sequence, which steps it may be. */
  readonly value?: string;
  /** Of a rule that counts by where events came from, their address. */
  readonly address?: string;
}

/** An event without its record, which is the `line`-th of its pack. */
export type PackedEvent = Omit<EventInput, 'record'> & { readonly line: number; readonly matches?: readonly EventMatch[] } & {
  /** What indicators may name of it. */
  readonly observables?: readonly Observable[];
};

/** Events that were read one after another. Their records are alike, so that together they take a tenth of their room. */
export interface EventPack {
  readonly events: PackedEvent[];
  /** The records as JSON, one a line, in raw DEFLATE (RFC 1951). */
  readonly records: Uint8Array;
  readonly lines: number;
}

/** What a run has seen of one class of log of an account so far: it is taken to hold all that was logged from the first event to the last. */
export interface LogSpan {
  readonly provider: Provider;
  readonly account_id: string | null;
  readonly log: string;
  readonly regions: readonly string[];
  readonly from: Date;
  readonly to: Date;
}

/** Events of a run that are taken in together, and what the run covers by now. */
export interface EventBatch {
  readonly packs: readonly EventPack[];
  readonly spans: readonly LogSpan[];
}

/** `source` of findings that are raised over events: a run covers none of them, and closes none. */
export const DETECTION_SOURCE = 'palisade-detections';

/** What a rule has seen in events. */
export interface Detected {
  readonly rule: RuleInput;
  readonly observation: Observation;
}

/** Characters of a record, as JSON; what is longer is cut. AWS and Google write no longer ones (256 KiB). */
const LONGEST_RECORD = 262_144;
const LEVEL = 3;

/**
 * Packs events for the way from the thread that reads them to the store.
 * @param match what rules see in an event, while its record is at hand
 */
export function packEvents(events: readonly EventInput[], match: (event: EventInput) => readonly EventMatch[] = () => []): EventPack {
  const texts = events.map(({ record }) => textOf(record));
  const packed = events.map((whole, line): PackedEvent => {
    const { record: _, ...event } = whole;
    const matches = match(whole);
    const observables = observablesOf(event.source_ip, texts[line]!);
    return { ...event, line, ...(matches.length > 0 && { matches }), ...(observables.length > 0 && { observables }) };
  });
  return { events: packed, records: deflateRawSync(Buffer.from(texts.join('\n')), { level: LEVEL }), lines: texts.length };
}

/** The records of a pack, in its order. */
export const unpackRecords = (records: Uint8Array): Record<string, unknown>[] =>
  inflateRawSync(records)
    .toString()
    .split('\n')
    .map((text) => JSON.parse(text) as Record<string, unknown>);

/** Texts and lists of a record that is too long are cut, and it says so; of one that is too long even then only what stands at its top is left. */
function textOf(record: Record<string, unknown>): string {
  const whole = JSON.stringify(record);
  if (whole.length <= LONGEST_RECORD) return whole;
  const shortened = JSON.stringify({ ...(cut(record, 0) as object), record_cut: true });
  if (shortened.length <= LONGEST_RECORD) return shortened;
  const top = Object.entries(record).filter(([, value]) => typeof value !== 'object' || value === null);
  return JSON.stringify({
    ...Object.fromEntries(top.slice(0, MOST_MEMBERS).map(([name, value]) => [name, cut(value, 0)])),
    record_cut: true,
  });
}

const LONGEST_TEXT = 1_000;
const MOST_MEMBERS = 100;
const DEEPEST = 8;

function cut(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return '…';
  if (Array.isArray(value)) return (value as unknown[]).slice(0, MOST_MEMBERS).map((one) => cut(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_MEMBERS)
      .map(([name, one]) => [name.slice(0, LONGEST_TEXT), cut(one, depth + 1)]),
  );
}
