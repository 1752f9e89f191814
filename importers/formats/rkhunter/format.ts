import { isNamed } from '../../normalize/host.js';
import { ReportItems } from '../../normalize/observation.js';
import { coverage } from '../../normalize/scope.js';
import { readTextLines } from '../../readers/lines/text-lines.js';
import { readHead } from '../../readers/source.js';
import { NotOfFormat, type ImportItem, type ReportFormat } from '../../types.js';
import { RkhunterLog } from './log.js';

const BEGINNING = /^\uFEFF?[ \t\r\n]{0,100}(?:\[\d\d:\d\d:\d\d\] Running Rootkit Hunter version |\[ Rootkit Hunter version )/;

/** rkhunter's log, and what it prints. One result of one check is one record. */
export const format: ReportFormat = {
  name: 'rkhunter',
  label: 'Rootkit Hunter log',
  engines: ['cwpp'],
  detection: 'A text that begins with `Running Rootkit Hunter version`, behind a time, or `[ Rootkit Hunter version`.',
  produce: 'rkhunter --check --skip-keypress --logfile /tmp/rkhunter.log',
  outsideClouds: true,
  detect: (head) => BEGINNING.test(head),
  async *read(source, options) {
    if (!BEGINNING.test(await readHead(source))) throw new NotOfFormat('expected a log of Rootkit Hunter, found other text');
    const log = new RkhunterLog(options, new ReportItems());
    let last = 'line 1';
    for await (const item of readTextLines(source)) {
      if (item.kind !== 'value') {
        yield* log.finish();
        yield { kind: item.kind, position: item.position, reason: item.reason } satisfies ImportItem;
        if (item.kind === 'truncated') return;
        continue;
      }
      last = item.position;
      yield* log.take(item.value.text, last);
    }
    yield* log.finish();
    if (!log.hasEnded) yield { kind: 'truncated', position: last, reason: 'the log ends before the checks do' };
    else if (log.sawAll && isNamed(log.place)) yield coverage('cwpp', log.place.artifact as string, 'rkhunter', options);
  },
};
