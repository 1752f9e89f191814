import { COLORS, LEADING, type Letters, type Sheet } from './sheet.js';

export interface TableColumn {
  readonly label: string;
  /** Points. */
  readonly width: number;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
}

const LETTERS: Letters = { size: 8 };
const HEADING: Letters = { size: 8, isBold: true };
const MOST_LINES = 3;
const PAD = 4;
const heightOf = (lines: number) => lines * LETTERS.size * LEADING + 2 * PAD;

/**
 * Draws a table over as many pages as it takes, and pauses behind each row. Its heading is told once, and drawn again on each page.
 * @param cells the texts of each row
 */
export function* drawTable(
  sheet: Sheet,
  title: string,
  columns: readonly TableColumn[],
  rows: Iterable<readonly string[]>,
): Generator<void> {
  const table = sheet.begin('Table', undefined, { title });
  const places = columns.map((_, n) => sheet.left + columns.slice(0, n).reduce((sum, { width }) => sum + width, 0));
  const cell = (n: number, lines: readonly string[], letters: Letters) => {
    const { width, isNumber } = columns[n]!;
    if (isNumber) sheet.line(lines[0] ?? '', places[n]! + PAD, sheet.y + PAD, letters, width - 2 * PAD);
    else sheet.lines(lines, places[n]! + PAD, sheet.y + PAD, letters);
  };
  const shade = (height: number, color: string) =>
    sheet.decoration(() => void sheet.pdf.rect(sheet.left, sheet.y, sheet.width, height).fill(color));
  const headings = () => {
    shade(heightOf(1), COLORS.line);
    return columns.map(
      ({ label }, n) =>
        () =>
          cell(n, [label], HEADING),
    );
  };
  const row = sheet.begin('TR', table);
  for (const draw of headings()) sheet.add('TH', row, draw, { scope: 'Column' });
  row.end();
  sheet.y += heightOf(1);
  let count = 0;
  for (const texts of rows) {
    const wrapped = texts.map((text, n) => sheet.wrapped(text, columns[n]!.width - 2 * PAD, LETTERS, MOST_LINES));
    const height = heightOf(Math.max(1, ...wrapped.map(({ length }) => length)));
    if (!sheet.fits(height)) {
      sheet.nextPage();
      const again = headings();
      sheet.decoration(() => again.forEach((draw) => draw()));
      sheet.y += heightOf(1);
    }
    if (count % 2 === 1) shade(height, COLORS.shade);
    const part = sheet.begin('TR', table);
    wrapped.forEach((lines, n) => sheet.add('TD', part, () => cell(n, lines, LETTERS)));
    part.end();
    sheet.y += height;
    count += 1;
    yield;
  }
  table.end();
}
