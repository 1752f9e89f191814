import { loadDetections } from '../../catalog/detections/rule-set.js';
import { bufferSource, findImporter } from '../../importers/index.js';
import type { EventInput } from '../../schema/observations.js';
import { sequenceOf } from '../../subgraphs/cdr/detections/sequence.js';
import { burstOf } from '../../subgraphs/cdr/detections/threshold.js';
import { togetherOf } from '../../subgraphs/cdr/detections/together.js';

/** The events of a report. */
export async function eventsIn(format: string, bytes: Uint8Array): Promise<EventInput[]> {
  const events: EventInput[] = [];
  for await (const item of findImporter(format)!.read(bufferSource(bytes), {})) if (item.kind === 'event') events.push(item.event);
  return events;
}

/** The findings that events would raise, each by rule, actor or address, and day. */
export async function findingsOf(events: readonly EventInput[]): Promise<string[]> {
  const rules = loadDetections();
  const links = new Map<string, { at: Date; value?: string }[]>();
  for (const event of events)
    for (const { rule_id, value, address } of rules.match(event)) {
      const key = `${rule_id} ${address ?? event.actor} ${event.account_id} ${event.time.toISOString().slice(0, 10)}`;
      links.set(key, [...(links.get(key) ?? []), { at: event.time, value }]);
    }
  const found: string[] = [];
  for (const [key, own] of links) {
    const { threshold, sequence } = rules.all.get(key.split(' ', 1)[0]!)!;
    own.sort((one, other) => one.at.getTime() - other.at.getTime());
    const rows = (async function* () {
      yield* own.map((link) => ({ _id: '', tenant_id: '', ...link }));
    })();
    const isMet = sequence
      ? (await (sequence.ordered ? sequenceOf : togetherOf)(rows, sequence, new Date(0))).length > 0
      : threshold === null || (await burstOf(rows, threshold)).length > 0;
    if (isMet) found.push(key);
  }
  return found;
}
