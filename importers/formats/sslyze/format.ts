import { hostPlace } from '../../normalize/host.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { ReportItems } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { toTime, utcTimeAt } from '../../normalize/report-time.js';
import { numberAt, objectAt, requireObject, textAt, type JsonObject } from '../../readers/json/fields.js';
import { BrokenRecord } from '../../readers/record.js';
import { readHead } from '../../readers/source.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ImportOptions, ReportFormat } from '../../types.js';
import { checkServer } from './checks.js';
import { readTarget } from './target.js';

const json = jsonFormat<{ scannedAt: Date | undefined; options: ImportOptions }>({
  name: 'sslyze',
  label: 'SSLyze JSON or XML',
  engines: ['encryption'],
  detection:
    'A JSON object with `server_scan_results` of servers, or `accepted_targets` of servers with `commands_results`, or an XML report with the root `document` and its attribute SSLyzeVersion.',
  produce: 'sslyze --json_out=sslyze.json shop.example.com',
  outsideClouds: true,
  observedAt: utcTimeAt('date_scans_completed'),
  expected: 'results of SSLyze ({"server_scan_results": [...]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('server_scan_results') &&
      ['sslyze_version', 'date_scans_started', 'server_scan_results[].server_location', 'server_scan_results[].server_info'].some((path) =>
        outline.has(path),
      )) ||
    (outline.has('accepted_targets') && (outline.has('sslyze_version') || outline.has('accepted_targets[].commands_results'))),
  markers: ['server_scan_results', 'accepted_targets'],
  records: ['server_scan_results[*]', 'accepted_targets[*]'],
  around: ['date_scans_completed'],
  context(surroundings, options) {
    const completed = surroundings.text('date_scans_completed');
    return { scannedAt: completed === undefined ? undefined : toTime(completed, 'Z'), options };
  },
  covers: () => [],
  convert(record, { position }, { scannedAt, options }, items) {
    const info = objectAt(record, 'server_info');
    const location =
      objectAt(record, 'server_location') ?? objectAt(info, 'server_location') ?? requireObject(record, 'server_info', 'server_location');
    const name = textAt(location, 'hostname');
    const address = textAt(location, 'ip_address');
    const port = numberAt(location, 'port');
    if ((name ?? address) === undefined || port === undefined) throw new BrokenRecord('server_location has no host or no port');
    const place = hostPlace({ names: [name, address], addresses: [address] }, options);
    return checkServer(resultsOf(record), { ...place, artifact: `${place.resource_uid}:${port}` }, port, scannedAt, position, items);
  },
});

const isXml = (head: string): boolean => {
  const outline = outlineXml(head);
  return outline?.root === 'document' && outline.paths.has('@SSLyzeVersion');
};

/** SSLyze's JSON output, of version 2 to 6, and its XML of those before. One server is one record. */
export const format: ReportFormat = {
  ...json,
  detect: (head) => isXml(head) || json.detect(head),
  observedAt: async (source) => (isXml(await readHead(source)) ? undefined : json.observedAt?.(source)),
  async *read(source, options) {
    if (!isXml(await readHead(source))) {
      yield* json.read(source, options);
      return;
    }
    const items = new ReportItems();
    yield* importElements(readXml(source, ['document/results/target']), (target, { position }) =>
      readTarget(target, position, options, items),
    );
  },
};

/** What the commands found, by their names; those that were not run or failed have nothing. */
function resultsOf(server: JsonObject): (name: string) => JsonObject | undefined {
  const found = objectAt(server, 'scan_result');
  if (found !== undefined) return (name) => objectAt(objectAt(found, name), 'result');
  const older = objectAt(server, 'scan_commands_results') ?? objectAt(server, 'commands_results');
  return (name) => objectAt(older, name);
}
