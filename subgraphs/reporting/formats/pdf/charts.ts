import { COLORS, type Part, type Sheet } from './sheet.js';

/** A value of a chart with its number. */
export interface Bar {
  readonly label: string;
  readonly count: number;
  readonly color?: string;
}

/** Where a chart is drawn. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const BAR = 16;
const TITLE = 22;
const LABEL_SHARE = 0.4;
const NUMBER = 44;

/** Height of a chart of bars. */
export const barsHeight = (bars: readonly Bar[]): number => TITLE + Math.max(1, bars.length) * BAR + 12;

const numberOf = (count: number): string => count.toLocaleString('en');

/** Bars with their labels and numbers: nothing is told by color alone. */
export function drawBars(sheet: Sheet, within: Part, title: string, bars: readonly Bar[], box: Box): void {
  const alt = `${title}: ${bars.map(({ label, count }) => `${label} ${count}`).join(', ') || 'none'}`;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const from = box.x + box.width * LABEL_SHARE;
  const room = box.width * (1 - LABEL_SHARE) - NUMBER;
  const draw = () => {
    sheet.line(title, box.x, box.y, { size: 11, isBold: true });
    bars.forEach(({ label, count, color = COLORS.accent }, n) => {
      const y = box.y + TITLE + n * BAR;
      const [text = ''] = sheet.wrapped(label, box.width * LABEL_SHARE - 8, { size: 9 }, 1);
      sheet.line(text, box.x, y, { size: 9 });
      sheet.pdf.rect(from, y - 1, Math.max(1, (room * count) / most), 10).fill(color);
      sheet.line(numberOf(count), from + Math.max(1, (room * count) / most) + 5, y, { size: 9 });
    });
    if (bars.length === 0) sheet.line('None', box.x, box.y + TITLE, { size: 9, color: COLORS.quiet });
  };
  const bbox = [box.x, box.y, box.x + box.width, box.y + barsHeight(bars)];
  sheet.add('Figure', within, draw, { alt, bbox });
}

/** Heights of a ring and of a line over days. */
export const CHART_HEIGHT = 130;
const RADIUS = 44;

/** A share of a whole as a ring, from 0 to 100. */
export function drawRing(sheet: Sheet, within: Part, title: string, percent: number, box: Box): void {
  const shown = Math.min(100, Math.max(0, percent));
  const [x, y] = [box.x + RADIUS + 6, box.y + TITLE + RADIUS];
  const draw = () => {
    sheet.line(title, box.x, box.y, { size: 11, isBold: true });
    sheet.pdf.lineWidth(12).circle(x, y, RADIUS).stroke(COLORS.line);
    if (shown > 0) {
      // one arc cannot close upon itself
      const share = Math.min(shown, 99.99) / 100;
      const end = -Math.PI / 2 + share * 2 * Math.PI;
      const [toX, toY] = [x + RADIUS * Math.cos(end), y + RADIUS * Math.sin(end)];
      sheet.pdf.path(`M ${x} ${y - RADIUS} A ${RADIUS} ${RADIUS} 0 ${share > 0.5 ? 1 : 0} 1 ${toX} ${toY}`).stroke(COLORS.accent);
    }
    const text = `${Math.round(shown * 10) / 10}%`;
    const letters = { size: 18, isBold: true };
    sheet.line(text, x - sheet.widthOf(text, letters) / 2, y - 8, letters);
  };
  sheet.add('Figure', within, draw, {
    alt: `${title}: ${Math.round(shown * 10) / 10} percent`,
    bbox: [box.x, box.y, box.x + box.width, box.y + CHART_HEIGHT],
  });
}

/** What was on one day, from 0 to 100. */
export interface Day {
  readonly day: string;
  readonly value: number;
}

/** Values over days as a line. */
export function drawTrend(sheet: Sheet, within: Part, title: string, days: readonly Day[], box: Box): void {
  const [first, last] = [days[0]!, days.at(-1)!];
  const alt = `${title}: from ${first.value} on ${first.day} to ${last.value} on ${last.day}`;
  const height = CHART_HEIGHT - TITLE - 24;
  const [left, top] = [box.x + 24, box.y + TITLE];
  const width = box.width - 30;
  const placeOf = ({ value }: Day, n: number) =>
    [
      left + (days.length === 1 ? 0 : (n / (days.length - 1)) * width),
      top + height * (1 - Math.min(100, Math.max(0, value)) / 100),
    ] as const;
  const draw = () => {
    sheet.line(title, box.x, box.y, { size: 11, isBold: true });
    for (const value of [0, 50, 100]) {
      const y = top + height * (1 - value / 100);
      sheet.pdf
        .lineWidth(0.5)
        .moveTo(left, y)
        .lineTo(left + width, y)
        .stroke(COLORS.line);
      sheet.line(String(value), box.x, y - 4, { size: 8, color: COLORS.quiet }, 18);
    }
    days.forEach((day, n) => (n === 0 ? sheet.pdf.moveTo(...placeOf(day, n)) : sheet.pdf.lineTo(...placeOf(day, n))));
    sheet.pdf.lineWidth(1.5).stroke(COLORS.accent);
    sheet.pdf.circle(...placeOf(last, days.length - 1), 2.5).fill(COLORS.accent);
    sheet.line(first.day, left, top + height + 6, { size: 8, color: COLORS.quiet });
    sheet.line(last.day, left, top + height + 6, { size: 8, color: COLORS.quiet }, width);
  };
  sheet.add('Figure', within, draw, { alt, bbox: [box.x, box.y, box.x + box.width, box.y + CHART_HEIGHT] });
}
