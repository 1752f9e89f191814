import { createTimeSlice } from '../../../../kit/base/time-slice.js';
import { listOf, numberOf, recordOf, textOf, type Contents, type ExportFormat, type Row } from '../format.js';
import { barsHeight, CHART_HEIGHT, drawBars, drawRing, drawTrend, type Box, type Day } from './charts.js';
import { Fonts } from './fonts.js';
import { gather, type Gathered } from './gather.js';
import { LAYOUTS, type PdfLayout } from './layouts.js';
import { COLORS, Sheet } from './sheet.js';
import { drawTable } from './table.js';

/** Rows of a document: nobody reads more, and the texts of all are held while it is made. */
const MOST_ROWS = 5_000;
const GAP = 24;

const numberOfRows = (count: number, { rows }: PdfLayout) => `${count.toLocaleString('en')} ${rows}`;

/** The numbers on the cover, side by side. */
function drawNumbers(sheet: Sheet, numbers: Gathered['numbers']): void {
  const list = sheet.begin('Sect');
  const width = sheet.width / numbers.length;
  numbers.forEach(({ label, count }, n) => {
    const x = sheet.left + n * width;
    sheet.decoration(() => void sheet.pdf.roundedRect(x, sheet.y, width - 10, 56, 4).fill(COLORS.shade));
    sheet.add('P', list, () => {
      sheet.line(count.toLocaleString('en'), x + 10, sheet.y + 9, { size: 20, isBold: true });
      sheet.line(label, x + 10, sheet.y + 36, { size: 9, color: COLORS.quiet });
    });
  });
  list.end();
  sheet.y += 56 + GAP;
}

/** The days of a framework's score, as far as they are told. */
const trendOf = (framework: Row): Day[] =>
  listOf(framework['trend']).flatMap((one) => {
    const { date, score } = recordOf(one);
    const [day, value] = [textOf(date)?.slice(0, 10), numberOf(score)];
    return day === undefined || value === null ? [] : [{ day, value }];
  });

/** Draws things side by side, each in its part of the width. */
function sideBySide(sheet: Sheet, height: number, draws: readonly ((box: Box) => void)[]): void {
  if (!sheet.fits(height)) sheet.nextPage();
  const width = (sheet.width + GAP) / draws.length;
  draws.forEach((draw, n) => draw({ x: sheet.left + n * width, y: sheet.y, width: width - GAP }));
  sheet.y += height + GAP / 2;
}

function drawCharts(sheet: Sheet, framework: Row | null, charts: Gathered['charts']): void {
  const part = sheet.begin('Sect');
  if (framework) {
    const days = trendOf(framework);
    const score = numberOf(framework['score']) ?? 0;
    sideBySide(sheet, CHART_HEIGHT, [
      (box) => drawRing(sheet, part, 'Score', score, box),
      ...(days.length > 0 ? [(box: Box) => drawTrend(sheet, part, 'Score by day', days, box)] : []),
    ]);
  }
  for (let at = 0; at < charts.length; at += 2) {
    const pair = charts.slice(at, at + 2);
    const height = Math.max(...pair.map(({ bars }) => barsHeight(bars)));
    sideBySide(
      sheet,
      height,
      pair.map(
        ({ title, bars }) =>
          (box: Box) =>
            drawBars(sheet, part, title, bars, box),
      ),
    );
  }
  part.end();
}

/** Draws the document, and pauses behind each row of its table. */
function* drawDocument(sheet: Sheet, contents: Contents, layout: PdfLayout, { numbers, charts, rows }: Gathered): Generator<void> {
  const made = `${contents.madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  sheet.nextPage();
  const cover = sheet.begin('Sect');
  sheet.write('H1', cover, sheet.title, { size: 24, isBold: true });
  sheet.write('P', cover, `${numberOfRows(rows.length, layout)}, as of ${made}. Palisade, export ${contents.id}.`, {
    size: 10,
    color: COLORS.quiet,
  });
  cover.end();
  sheet.y += GAP / 2;
  drawNumbers(sheet, numbers);
  drawCharts(sheet, contents.framework, charts);
  yield;
  sheet.nextPage();
  const heading = `All ${layout.rows}`;
  const listed = sheet.begin('Sect');
  sheet.write('H2', listed, heading, { size: 14, isBold: true });
  if (rows.length === 0) sheet.write('P', listed, 'There are none.', { size: 10 });
  listed.end();
  if (rows.length > 0) yield* drawTable(sheet, heading, layout.columns, rows);
  sheet.end();
}

/** A tagged PDF (ISO 32000-1) with a cover, charts drawn as vectors, and a table. Its pages are handed on while the next are drawn. */
export const pdf: ExportFormat = {
  name: 'pdf',
  label: 'PDF',
  media_type: 'application/pdf',
  extension: 'pdf',
  subjects: ['findings', 'assets', 'framework'],
  most: MOST_ROWS,
  isCompressed: true,
  async *write(contents) {
    const layout = LAYOUTS[contents.subject]!;
    const fonts = await Fonts.load();
    const gathered = await gather(contents, layout, fonts);
    const sheet = await Sheet.open(fonts, fonts.shown(contents.title), contents.madeAt);
    const slice = createTimeSlice();
    for (const _ of drawDocument(sheet, contents, layout, gathered)) {
      await slice();
      const bytes = sheet.pdf.read() as Buffer | null;
      if (bytes) yield bytes;
    }
    for await (const bytes of sheet.pdf as AsyncIterable<Uint8Array>) yield bytes;
  },
};
