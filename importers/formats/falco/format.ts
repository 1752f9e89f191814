import { jsonFormat } from '../../normalize/json-format.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import type { ImportOptions } from '../../types.js';
import { isFalcoAlert, readFalcoAlert } from './alert.js';

const PLACES = ['', '[].'];

const isAlert = (outline: JsonOutline, at: string): boolean =>
  outline.has(`${at}rule`) &&
  outline.has(`${at}priority`) &&
  (outline.has(`${at}output_fields`) || (outline.has(`${at}output`) && outline.has(`${at}time`)));

/**
 * Falco's alerts as JSON lines, as it prints them and its sidekick passes them on. One alert is one record; so is another line of its log,
 * which gives nothing. Alerts of one rule about one process of one workload are one finding.
 */
export const format = jsonFormat<{ options: ImportOptions }>({
  name: 'falco',
  label: 'Falco alerts (JSON lines)',
  engines: ['cwpp'],
  detection: 'JSON lines, or an array, of objects with a `rule`, a `priority` and `output_fields`, or `output` and `time`.',
  produce: 'falco -o json_output=true -o file_output.enabled=true -o file_output.filename=alerts.jsonl',
  outsideClouds: true,
  expected: 'alerts of Falco ({"rule": ..., "priority": "Warning", "output": ..., "output_fields": {...}}, one a line)',
  roots: ['object', 'array'],
  isOfFormat: (outline) => PLACES.some((at) => isAlert(outline, at)),
  markers: ['output_fields', 'priority', '[].output_fields', '[].priority'],
  records: ['$', '$[*]'],
  context: (_, options) => ({ options }),
  // a log tells what happened, and nothing of what did not
  covers: () => [],
  convert: (record, { position }, { options }, items) => (isFalcoAlert(record) ? readFalcoAlert(record, position, options, items) : []),
});
