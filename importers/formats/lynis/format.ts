import { isNamed } from '../../normalize/host.js';
import { ReportItems } from '../../normalize/observation.js';
import { importLines } from '../../normalize/record-items.js';
import { toTime } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { parseKeyValue } from '../../readers/lines/key-value.js';
import { readTextLines, type LineItem } from '../../readers/lines/text-lines.js';
import { readHead } from '../../readers/source.js';
import { NotOfFormat, type ImportItem, type ReportFormat, type ReportSource } from '../../types.js';
import { LynisHost } from './host.js';
import { readLine } from './line.js';
import { packageItems } from './packages.js';

const FIRST = /^\uFEFF?[ \t\r\n]{0,100}# Lynis Report\b/;
const END = /^(?:finish=true)?\s*$/;
const MEMBERS = /^lynis_version=|^lynis_update_available=/m;
const isReport = (head: string): boolean => FIRST.test(head) || (MEMBERS.test(head) && /^report_version_major=/m.test(head));

/** The lines of a report but the last, which may be cut, unless it is the one that a report ends with. */
async function* wholeLines(source: ReportSource): AsyncGenerator<LineItem, void, undefined> {
  let held: LineItem | undefined;
  for await (const item of readTextLines(source)) {
    if (held !== undefined) yield held;
    held = item;
  }
  if (held !== undefined && (held.kind !== 'value' || END.test(held.value.text))) yield held;
}

/** Lynis' report file (report.dat). One warning, suggestion or vulnerable package is one record; the other lines are facts. */
export const format: ReportFormat = {
  name: 'lynis',
  label: 'Lynis report.dat',
  engines: ['agent', 'vulnerability', 'secops', 'di'],
  detection: 'A text that begins with `# Lynis Report`, or lines `report_version_major=` and `lynis_version=`.',
  produce: 'lynis audit system --report-file /tmp/lynis-report.dat',
  outsideClouds: true,
  async observedAt(source) {
    const started = /^report_datetime_(?:end|start)=(.+)$/m.exec(await readHead(source))?.[1];
    return started === undefined ? undefined : toTime(started, 'Z');
  },
  detect: isReport,
  async *read(source, options) {
    if (!isReport(await readHead(source))) throw new NotOfFormat('expected a report of Lynis (report.dat), found other text');
    const items = new ReportItems();
    const host = new LynisHost(options);
    let hasEnded = false;
    let isDamaged = false;
    let last = 'line 1';
    let packages: ImportItem[] = [];
    for await (const item of importLines(wholeLines(source), ({ text, number }) => {
      last = `line ${number}`;
      const line = parseKeyValue(text);
      if (line === undefined) return null;
      hasEnded ||= line.key === 'finish';
      host.take(line);
      if (line.key === 'installed_packages_array' && !line.isList) {
        packages = packageItems(line.value, last, host);
        return null;
      }
      return readLine(line, last, host, items);
    })) {
      isDamaged ||= item.kind === 'truncated';
      yield item;
    }
    if (isDamaged) return;
    // a host whose packages are not all told keeps those that it had
    if (hasEnded) yield* packages;
    if (!hasEnded) yield { kind: 'truncated', position: last, reason: 'the report ends before the audit does' };
    else if (host.sawAll && isNamed(host.place))
      for (const engine of ['agent', 'vulnerability']) yield coverage(engine, host.place.artifact as string, 'lynis', options);
  },
};
