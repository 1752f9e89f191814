import { damageOf, isDamage } from '../source.js';
import { LineSplitter, type ByteLine } from './line-splitter.js';
import type { ReportSource } from '../../types.js';
import type { ReadItem } from '../record.js';

export type { ByteLine } from './line-splitter.js';

/** What a line is, without its place; undefined when it is nothing. */
export type LineContent<Value> = { kind: 'value'; value: Value } | { kind: 'broken' | 'truncated'; reason: string } | undefined;

/**
 * What `read` makes of the lines of a report, one after the other. Damaged compression is `truncated`.
 * @param onEnd called where there is nothing more to read
 */
export async function* readLines<Value>(
  source: ReportSource,
  maxBytes: number,
  read: (line: ByteLine) => LineContent<Value>,
  onEnd: (damage: string | undefined) => void = () => undefined,
): AsyncGenerator<ReadItem<Value>, void, undefined> {
  const splitter = new LineSplitter(maxBytes);
  const itemOf = (line: ByteLine): ReadItem<Value> | undefined => {
    const content = read(line);
    return content && { ...content, position: `line ${line.number}`, offset: line.offset };
  };
  try {
    for await (const chunk of source.open() as AsyncIterable<Buffer>)
      for (const line of splitter.take(chunk)) {
        const item = itemOf(line);
        if (item !== undefined) yield item;
      }
  } catch (error) {
    if (!isDamage(error)) throw error;
    const damage = damageOf(error);
    onEnd(damage);
    yield { kind: 'truncated', ...splitter.place, reason: damage };
    return;
  }
  const last = splitter.finish();
  const item = last && itemOf(last);
  onEnd(undefined);
  if (item !== undefined) yield item;
}
