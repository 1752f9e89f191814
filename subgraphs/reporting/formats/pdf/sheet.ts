import type PDFDocument from 'pdfkit';
import type { Fonts } from './fonts.js';

type Pdf = InstanceType<typeof PDFDocument>;
/** A part of the document's structure, by which readers for the blind go (ISO 32000-1, 14.8). */
export type Part = ReturnType<Pdf['struct']>;

export const COLORS = { text: '#1b1f24', quiet: '#57606a', line: '#d0d7de', accent: '#0b5cad', shade: '#f3f5f7' } as const;
/** Where the letters of a line stand, in their size below its top: the same for all fonts. */
const BASELINE = 0.8;

/** How letters look. */
export interface Letters {
  readonly size: number;
  readonly isBold?: boolean;
  readonly color?: string;
}

const MARGIN = 36;
const FOOT = 24;

/** The pages of a document, one after the other: each is written out when the next begins. */
export class Sheet {
  private readonly root: Part;
  private readonly widths = new Map<string, number>();
  private pages = 0;
  /** Where the next thing begins. */
  y = MARGIN;
  readonly left = MARGIN;

  private constructor(
    readonly pdf: Pdf,
    private readonly fonts: Fonts,
    readonly title: string,
  ) {
    this.root = pdf.struct('Document');
    pdf.addStructure(this.root);
  }

  static async open(fonts: Fonts, title: string, madeAt: Date): Promise<Sheet> {
    // few processes ever make one
    const { default: Document } = await import('pdfkit');
    const pdf = new Document({
      size: 'A4',
      layout: 'landscape',
      // what is drawn is placed here: nothing is to begin a page by itself
      margins: { top: 0, bottom: 0, left: 0, right: 0 },
      autoFirstPage: false,
      pdfVersion: '1.7',
      tagged: true,
      // texts are hardly ever twice the same
      fontLayoutCache: false,
      lang: 'en',
      displayTitle: true,
      info: { Title: title, Creator: 'Palisade', Producer: 'Palisade', CreationDate: madeAt },
    });
    return new Sheet(pdf, fonts, title);
  }

  get width(): number {
    return this.pdf.page.width - 2 * MARGIN;
  }

  /** Whether so much has room on this page. */
  fits(height: number): boolean {
    return this.y + height <= this.pdf.page.height - MARGIN - FOOT;
  }

  nextPage(): void {
    this.pdf.addPage();
    this.pages += 1;
    this.y = MARGIN;
    const y = this.pdf.page.height - MARGIN - 8;
    this.decoration(() => {
      this.line(this.title, this.left, y, { size: 8, color: COLORS.quiet });
      this.line(`Page ${this.pages}`, this.left + this.width - 60, y, { size: 8, color: COLORS.quiet }, 60);
    });
  }

  /** A part of the document, within another or by itself. It is to be ended. */
  begin(type: string, within: Part = this.root, options: object = {}): Part {
    const part = this.pdf.struct(type, options);
    within.add(part);
    return part;
  }

  /** What is drawn is of a part of this type. */
  add(type: string, within: Part, draw: () => void, options: object = {}): void {
    const part = this.pdf.struct(type, options, [draw]);
    within.add(part);
  }

  /** What is drawn tells nothing that is not told elsewhere. */
  decoration(draw: () => void): void {
    this.pdf.markContent('Artifact', { type: 'Layout' });
    draw();
    this.pdf.endMarkedContent();
  }

  /** Writes a heading or a paragraph and moves below it. */
  write(type: 'H1' | 'H2' | 'P', within: Part, text: string, letters: Letters): void {
    const lines = this.wrapped(text, this.width, letters, 3);
    this.add(type, within, () => this.lines(lines, this.left, this.y, letters));
    this.y += lines.length * letters.size * LEADING + letters.size * 0.4;
  }

  /** One line of text; at the right end of `width` where one is given. */
  line(text: string, x: number, y: number, letters: Letters, width?: number): void {
    let at = width === undefined ? x : x + width - this.widthOf(text, letters);
    const { size, isBold, color = COLORS.text } = letters;
    for (const run of this.fonts.runs(text, isBold)) {
      const textWidth = this.widthOf(run.text, letters);
      this.pdf
        .font(run.face.font as never, run.face.name)
        .fontSize(size)
        .fillColor(color)
        .text(run.text, at, y + size * BASELINE, { lineBreak: false, baseline: 'alphabetic' });
      at += textWidth;
    }
  }

  lines(lines: readonly string[], x: number, y: number, letters: Letters): void {
    lines.forEach((text, n) => this.line(text, x, y + n * letters.size * LEADING, letters));
  }

  /** Text in lines of at most so much width, between words where there are any; what does not go into `most` lines ends with an ellipsis. */
  wrapped(text: string, width: number, letters: Letters, most: number): string[] {
    const lines: string[] = [];
    let rest = text;
    while (rest !== '' && lines.length < most) {
      const fitting = this.fitting(rest, width, letters);
      if (fitting === rest.length) return [...lines, rest];
      if (lines.length === most - 1) return [...lines, `${withoutHalf(rest.slice(0, Math.max(1, fitting - 2))).trimEnd()}…`];
      const space = rest.lastIndexOf(' ', fitting);
      const end = space > fitting / 2 ? space : fitting;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
    return lines;
  }

  widthOf(text: string, letters: Letters): number {
    let width = 0;
    for (const one of text) width += this.widthOfOne(one, letters);
    return width;
  }

  /** Letters that go into a width, at least one. */
  private fitting(text: string, width: number, letters: Letters): number {
    let left = width;
    let at = 0;
    for (const one of text) {
      left -= this.widthOfOne(one, letters);
      if (left < 0) return at || one.length;
      at += one.length;
    }
    return at;
  }

  private widthOfOne(one: string, { size, isBold = false }: Letters): number {
    const key = `${isBold}${one}`;
    let known = this.widths.get(key);
    if (known === undefined) {
      known = this.fonts.widthOf(one, isBold);
      this.widths.set(key, known);
    }
    return known * size;
  }

  end(): void {
    this.root.end();
    this.pdf.end();
  }
}

/** Heights of lines in sizes of letters. */
export const LEADING = 1.25;

/** Text without the half of a letter that it was cut in. */
const withoutHalf = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
