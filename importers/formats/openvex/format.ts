import { jsonFormat } from '../../normalize/json-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { readStatement, type OpenVexContext } from './statement.js';

/** OpenVEX documents (0.0.x and 0.2): what the maker of a product says of vulnerabilities in it. One statement is one record. */
export const format = jsonFormat<OpenVexContext>({
  name: 'openvex',
  label: 'OpenVEX',
  engines: ['vulnerability'],
  detection: 'A JSON object with an `@context` of openvex.dev and `statements`.',
  produce:
    'vexctl create --product="pkg:oci/app?repository_url=registry.example.com/app" --vuln=CVE-2026-1 --status=not_affected --justification=vulnerable_code_not_present',
  outsideClouds: true,
  observedAt: timeAt('last_updated', 'timestamp'),
  expected: 'an OpenVEX document ({"@context": "https://openvex.dev/ns/v0.2.0", "statements": [...]})',
  roots: ['object'],
  isOfFormat: (outline) => /^https:\/\/openvex\.dev\/ns/.test(outline.get('@context') ?? ''),
  markers: ['@context', 'statements'],
  records: ['statements[*]'],
  around: ['author'],
  context: (surroundings, options) => {
    const author = surroundings.value('author');
    return { author: typeof author === 'string' ? author : undefined, options };
  },
  // what a statement says of one product says nothing of others
  covers: () => [],
  convert: (record, { position }, context, items) => readStatement(record, position, context, items),
});
