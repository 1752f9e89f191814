import { outlineJson, type JsonOutline } from './json-outline.js';
import { readJson } from './json-records.js';
import { ReportItems } from './observation.js';
import { importRecords } from './record-items.js';
import { checkHead } from './report-head.js';
import { readSarifLog, runAt } from './sarif-log.js';
import { readSarifResult } from './sarif-result.js';
import { NotOfFormat, type Importer } from './types.js';

function isSarif(outline: JsonOutline): boolean {
  if (!outline.has('runs')) return false;
  const hasSchema = /sarif/i.test(outline.get('$schema') ?? '');
  return (
    hasSchema || /^2\.\d/.test(outline.get('version') ?? '') || outline.has('runs[].tool.driver') || outline.has('runs[].results[].ruleId')
  );
}

const HEAD = {
  expected: 'a SARIF log ({"version": "2.1.0", "runs": [...]})',
  roots: ['object'] as const,
  detect: isSarif,
  markers: ['runs'],
  elements: ['!'],
};

/**
 * SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format) of any tool; several runs, rules in the driver and in
 * extensions. One result is one record. What a finding's resource is: see `sarifResource`.
 */
export const sarif: Importer = {
  format: 'sarif',
  title: 'SARIF 2.1.0',
  engines: ['secops'],
  detection: 'A JSON object with `runs`, and a SARIF `$schema`, version 2.x or a tool driver.',
  detect: (head) => isSarif(outlineJson(head)),
  async *read(source, options) {
    const isKnown = await checkHead(source, HEAD);
    // Rules and artifacts may stand behind the results that refer to them.
    const log = await readSarifLog(source);
    if (!isKnown && !log.hasRuns && !log.truncated) throw new NotOfFormat(`expected ${HEAD.expected}, found no runs`);
    yield* log.broken;
    const items = new ReportItems();
    yield* importRecords(readJson(source, ['runs[*].results[*]']), (record, item) =>
      readSarifResult(record, item.position, runAt(log, item.indices[0] as number), options, items),
    );
  },
};
