import type { ReportFormat } from '../importers/types.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');
/** Code in a cell of a table: a pipe is escaped there, too, and a command may hold backticks. */
const code = (text: string): string => (text.includes('`') ? `\`\` ${cell(text)} \`\`` : `\`${cell(text)}\``);

/** docs/formats.md: what reports can be imported, as the registry says it. */
export function formatsPage(formats: readonly ReportFormat[]): string {
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
    'Several reports may come in one zip or tar archive (`tar.gz` as well): it is one run, in which each report is read as if it had come alone. What is no report in it is',
    'skipped by its name, and a run that skips something closes nothing; archives in an archive are not opened. A file that is no report is refused with what it looks like, and',
    'with the command by which its tool writes one of these.',
    '',
    '| format | reports | engines that it feeds | recognised by | how to make one |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}
