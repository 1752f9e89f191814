import type { ReportFormat } from '../importers/types.js';
import type { SampleFigures } from './sample-figures.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');
/** Code in a cell of a table: a pipe is escaped there, too, and a command may hold backticks. */
const code = (text: string): string => (text.includes('`') ? `\`\` ${cell(text)} \`\`` : `\`${cell(text)}\``);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** A row of what became of a format's real reports. */
function samplesRow(format: string, own: readonly SampleFigures[], doubts: ReadonlyMap<string, string>): string {
  const total = (name: 'records' | 'broken' | 'observations' | 'facts'): string => sum(own.map((row) => row[name])).toLocaleString('en');
  const told = own.flatMap(({ file }) =>
    doubts.has(file) ? [`${code(file.slice(file.indexOf('/') + 1))}: ${cell(doubts.get(file)!)}`] : [],
  );
  const cells = [code(format), own.length, total('records'), total('broken'), total('observations'), total('facts'), told.join('; ')];
  return `| ${cells.join(' | ')} |`;
}

/**
 * docs/formats.md: what reports can be imported, as the registry says it, and what became of real ones.
 * @param figures of the samples
 * @param doubts sample -> why it has other counts than its manifest says
 */
export function formatsPage(
  formats: readonly ReportFormat[],
  figures: readonly SampleFigures[],
  doubts: ReadonlyMap<string, string>,
): string {
  const refused = figures.filter(({ format }) => format === '');
  const rows = formats.map(({ name, label, engines, detection, produce }) =>
    [code(name), cell(label), engines.join(', '), cell(detection), code(produce)].join(' | '),
  );
  return [
    '# Report formats',
    '',
    `The ${formats.length} formats that \`POST /api/v1/scans/imports\` takes; \`GET /api/v1/scans/import-formats\` lists the same. The format is detected from the first bytes of a`,
    'report, whatever its name; `format` names it where a report should be held to one. Reports may be gzip-compressed. What a report found is closed by the next one that covers the same and',
    'does not find it. Written by `npm run generate`.',
    '',
    'Several reports may come in one zip or tar archive (`tar.gz` as well) or in one list in JSON: it is one run, in which each report is read as if it had come alone. What is no report in it is',
    'skipped by its name, and a run that skips something closes nothing; archives in an archive are not opened. A file that is no report is refused with what it looks like, and',
    'with the command by which its tool writes one of these.',
    '',
    '| format | reports | engines that it feeds | recognised by | how to make one |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
    '## Real reports',
    '',
    `${figures.length - refused.length} reports that tools wrote, of ${new Set(figures.map(({ format }) => format).filter(Boolean)).size} formats, as they are imported. A record is what the tool counts as one: a finding, a check, a resource, an event. Findings count passed checks,`,
    'which close what an earlier report found; facts are resources, components, events, indicators and assessments. A record that cannot be read is refused by itself, the others go on.',
    '',
    '| format | reports | records | refused | findings | facts | where a count is not the one of the manifest of the samples |',
    '| --- | --: | --: | --: | --: | --: | --- |',
    ...formats.flatMap(({ name }) => {
      const own = figures.filter(({ format }) => format === name);
      return own.length === 0 ? [] : [samplesRow(name, own, doubts)];
    }),
    '',
    ...(refused.length === 0 ? [] : [`Refused as a whole: ${refused.map(({ file }) => code(file)).join(', ')}.`, '']),
  ].join('\n');
}
