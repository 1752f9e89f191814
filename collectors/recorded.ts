import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Collector, RecordedAnswer } from './types.js';

/** Names of recordings: files of demo/recordings, and no path. */
const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Tells what was recorded of an account, in place of asking it: the account of the demo, which scans find as it was. */
export const recordedCollector: Required<Collector> = {
  async *tryOut() {},
  async *collect({ connection }, signal) {
    const name = connection.values['recording'] ?? '';
    if (!NAME.test(name)) throw new Error('no such recording');
    const lines = createInterface({ input: createReadStream(new URL(`../demo/recordings/${name}.jsonl`, import.meta.url), { signal }) });
    for await (const line of lines) if (line !== '') yield JSON.parse(line) as RecordedAnswer;
  },
};
