import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readJson } from '../../readers/json/records.js';
import { ReportItems, safeId } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { checkHead } from '../../normalize/report-head.js';
import { timeAt } from '../../normalize/report-time.js';
import { readSarifLog, runAt } from './log.js';
import type { SarifRun } from './run.js';
import { sarifResource, sarifTool } from './place.js';
import { readSarifResult } from './result.js';
import { NotOfFormat, type ImportItem, type ReportFormat, type ImportOptions } from '../../types.js';

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

/** What a run covers, whether it found anything or not. One that failed covers nothing: what it did not report may still be there. */
function coverageOf(run: SarifRun, index: number, options: ImportOptions): ImportItem[] {
  if (run.hasFailed)
    return [{ kind: 'truncated', position: `runs[${index}]`, reason: 'the tool says that its execution was not successful' }];
  const { uid } = (run.resource ??= sarifResource(run, options));
  return [
    {
      kind: 'scope',
      scope: {
        engine: 'secops',
        artifact: safeId(uid),
        source: sarifTool(run),
        ...(options.account_id && { account_id: options.account_id }),
      },
    },
  ];
}

/**
 * SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format) of any tool; several runs, rules in the driver and in
 * extensions. One result is one record. What a finding's resource is: see `sarifResource`.
 */
export const format: ReportFormat = {
  name: 'sarif',
  label: 'SARIF 2.1.0',
  engines: ['secops'],
  detection: 'A JSON object with `runs`, and a SARIF `$schema`, version 2.x or a tool driver.',
  produce: 'semgrep scan --sarif --output report.sarif',
  detect: (head) => isSarif(outlineJson(head)),
  outsideClouds: true,
  observedAt: timeAt('runs[*].invocations[*].endTimeUtc', 'runs[*].invocations[*].startTimeUtc'),
  async *read(source, options) {
    const isKnown = await checkHead(source, HEAD);
    // Rules and artifacts may stand behind the results that refer to them.
    const log = await readSarifLog(source);
    if (!isKnown && !log.hasRuns && !log.truncated) throw new NotOfFormat(`expected ${HEAD.expected}, found no runs`);
    yield* log.broken;
    yield* log.runs.flatMap((run, index) => coverageOf(run, index, options));
    const items = new ReportItems();
    yield* importRecords(readJson(source, ['runs[*].results[*]']), (record, item) =>
      readSarifResult(record, item.position, runAt(log, item.indices[0] as number), options, items),
    );
  },
};
