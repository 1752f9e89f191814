import { recordListFormat } from '../../normalize/record-list.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { readMatch } from './match.js';

const has = (outline: JsonOutline, at: string, names: readonly string[]): boolean => names.some((name) => outline.has(at + name));

/** What Nuclei prints of matches: JSON lines (`-jsonl`) or an array (`-json-export`). One match of a template is one record. */
export const format = recordListFormat({
  name: 'nuclei',
  label: 'Nuclei JSON or JSON lines',
  engines: ['secops', 'vulnerability'],
  detection: 'JSON records with `template-id` (`templateID`) and `info`, as lines or in an array.',
  produce: 'nuclei -target https://shop.example.com -jsonl -output report.jsonl',
  outsideClouds: true,
  expected: 'matches of Nuclei (JSON lines or an array of {"template-id": ..., "info": ...})',
  lists: [],
  isRecord: (outline, at) =>
    has(outline, at, ['template-id', 'templateID', 'template']) && has(outline, at, ['info.severity', 'info.name']),
  markers: ['template-id', 'templateID', 'info'],
  convert: (record, { position }, options, items) => readMatch(record, position, options, items),
});
