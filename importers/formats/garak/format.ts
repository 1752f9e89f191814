import { inferProvider, ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import { readJsonLines } from '../../readers/lines/json-lines.js';
import { NotOfFormat, type ImportOptions, type ReportFormat, type ReportSource } from '../../types.js';
import { readHead } from '../../readers/source.js';
import { keyOf, readEvaluation, readHit, targetOf, type GarakContext } from './result.js';

/** Types of a report's lines. */
const ENTRIES = new Set([
  'start_run setup',
  'init',
  'setup',
  'config',
  'plugin_cache',
  'attempt',
  'eval',
  'completion',
  'digest',
  'payloads',
]);

const isReport = (outline: JsonOutline): boolean =>
  ENTRIES.has(outline.get('entry_type') ?? '') &&
  ['garak_version', '_config.version', 'transient.run_id', 'probe', 'probe_classname', 'plugins.probe_spec', 'meta.garak_version'].some(
    (name) => outline.has(name),
  );
const isHitLog = (outline: JsonOutline): boolean =>
  ['probe', 'detector', 'generator'].every((name) => outline.has(name)) && outline.has('score');

/** Counts the hits of each probe and detector, so that one finding tells all of them. */
async function contextOf(source: ReportSource, options: ImportOptions): Promise<GarakContext> {
  const context: GarakContext = {
    target: undefined,
    version: undefined,
    hits: new Map(),
    inferred: inferProvider(undefined, options),
    options,
  };
  for await (const item of readJsonLines(source)) {
    const record = item.kind === 'value' ? asObject(item.value) : undefined;
    if (record === undefined) continue;
    context.target ??= targetOf(record);
    context.version ??= textAt(record, 'garak_version');
    if (textAt(record, 'entry_type') !== undefined) continue;
    const key = keyOf(record);
    context.hits.set(key, (context.hits.get(key) ?? 0) + 1);
  }
  return context;
}

/**
 * garak's report (`garak.<run>.report.jsonl`) and its log of hits. A line is a record: of a report the evaluations of a probe by a
 * detector open or close, its other lines say nothing; of the log each line tells of a hit, and all hits of a probe and a detector are one
 * finding, the same as the report's.
 */
export const format: ReportFormat = {
  name: 'garak',
  label: 'garak report or hit log (JSON lines)',
  engines: ['ai-security'],
  detection: 'JSON lines with `entry_type` and what garak writes beside it, or with `probe`, `detector`, `generator` and `score`.',
  produce: 'garak --model_type openai --model_name gpt-4o --report_prefix scan',
  outsideClouds: true,
  detect: (head) => [isReport, isHitLog].some((is) => is(outlineJson(head))),
  async *read(source, options) {
    const outline = outlineJson(await readHead(source));
    if (outline.size > 0 && outline.has('!') && !outline.has('entry_type') && !outline.has('probe'))
      throw new NotOfFormat('expected lines of garak ({"entry_type": ...} or {"probe": ..., "detector": ...}), found other records');
    const context = await contextOf(source, options);
    const items = new ReportItems();
    yield* importRecords(readJsonLines(source), (record, { position }) => {
      const type = textAt(record, 'entry_type');
      if (type === undefined) return readHit(record, position, context, items);
      return type === 'eval' ? readEvaluation(record, position, context, items) : [];
    });
  },
};
