import { harmless } from './cell.js';
import { momentOf, type Column, type Contents, type ExportFormat, type Row } from './format.js';
import { zipped, type ZipEntry } from './zip.js';

/** What Excel takes: characters of a cell, rows of a sheet. */
const MOST_CHARACTERS = 32_767;
const MOST_ROWS = 1_048_576;
/** What a cell ends with that was cut. */
const CUT = '… [cut: the file in another format has it whole]';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Styles by their numbers: as it is, a moment, a heading. */
const [MOMENT, HEADING] = [1, 2];
const STYLES = `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`;

/** What XML 1.0 has no place for, halves of pairs among them, and the characters that it writes otherwise. */
const NOT_XML = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;
const SPECIAL = /[&<>\r]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
const escaped = (text: string): string => text.replace(NOT_XML, '\uFFFD').replace(SPECIAL, (character) => ENTITIES[character]!);

/** `A`, `B` … `Z`, `AA` … */
export function columnName(index: number): string {
  let name = '';
  for (let left = index; left >= 0; left = Math.floor(left / 26) - 1) name = String.fromCharCode(65 + (left % 26)) + name;
  return name;
}

/** Days since the last day of 1899, as sheets count. */
const serial = (moment: Date): number => moment.getTime() / 86_400_000 + 25_569;

class Sheets {
  private readonly names: readonly string[];
  /** Sheets begun. */
  count = 0;
  private cut = 0;

  constructor(
    private readonly contents: Contents,
    private readonly mostRows: number,
  ) {
    this.names = contents.columns.map((_, index) => columnName(index));
  }

  /** The files of the workbook, sheets first: how many there are is known at the end. */
  async *entries(): AsyncGenerator<ZipEntry> {
    const batches = this.contents.rows[Symbol.asyncIterator]();
    let left: readonly Row[] = [];
    let isOver = false;
    const next = async (most: number): Promise<readonly Row[]> => {
      while (left.length === 0 && !isOver) {
        const { done, value } = await batches.next();
        if (done) isOver = true;
        else left = value;
      }
      const taken = left.slice(0, most);
      left = left.slice(most);
      return taken;
    };
    // a sheet is begun when there is a row for it, and the first in any case
    for (let first = await next(this.mostRows - 1); this.count === 0 || first.length > 0; first = await next(this.mostRows - 1)) {
      this.count += 1;
      yield { name: `xl/worksheets/sheet${this.count}.xml`, text: this.sheet(first, next) };
    }
    if (this.cut > 0) this.contents.tell('cells_cut', this.cut);
    yield* this.frame();
  }

  private async *sheet(first: readonly Row[], next: (most: number) => Promise<readonly Row[]>): AsyncGenerator<string> {
    const { columns } = this.contents;
    yield `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;
    yield `<row r="1">${columns.map(({ name }, index) => this.text(`${this.names[index]}1`, name, HEADING)).join('')}</row>`;
    let at = 1;
    for (let batch = first; batch.length > 0; batch = at < this.mostRows ? await next(this.mostRows - at) : []) {
      let text = '';
      for (const row of batch) {
        at += 1;
        text += `<row r="${at}">`;
        for (let index = 0; index < columns.length; index++) text += this.cell(`${this.names[index]}${at}`, row, columns[index]!);
        text += '</row>';
      }
      yield text;
    }
    yield '</sheetData></worksheet>';
  }

  private cell(place: string, row: Row, { name, kind }: Column): string {
    const value = row[name];
    if (value === null || value === undefined || value === '') return '';
    if (typeof value === 'number') return Number.isFinite(value) ? `<c r="${place}"><v>${value}</v></c>` : '';
    if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
    if (kind === 'date') {
      const moment = momentOf(value);
      return moment ? `<c r="${place}" s="${MOMENT}"><v>${serial(moment)}</v></c>` : '';
    }
    return this.text(place, typeof value === 'string' ? value : JSON.stringify(value));
  }

  private text(place: string, value: string, style = 0): string {
    let text = harmless(value);
    if (text.length > MOST_CHARACTERS) {
      text = text.slice(0, MOST_CHARACTERS - CUT.length) + CUT;
      this.cut += 1;
    }
    return `<c r="${place}" t="inlineStr"${style ? ` s="${style}"` : ''}><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  }

  private *frame(): Generator<ZipEntry> {
    const numbers = Array.from({ length: this.count }, (_, index) => index + 1);
    const file = (name: string, text: string): ZipEntry => ({ name, text: [DECLARATION + text] });
    const part = (path: string, type: string) => `<Override PartName="${path}" ContentType="${TYPE}.${type}+xml"/>`;
    const parts = numbers.map((n) => part(`/xl/worksheets/sheet${n}.xml`, 'worksheet')).join('');
    yield file(
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part('/xl/workbook.xml', 'sheet.main')}${part('/xl/styles.xml', 'styles')}${parts}</Types>`,
    );
    const relation = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
    const relations = (text: string) => `<Relationships xmlns="${PACKAGE}/relationships">${text}</Relationships>`;
    yield file('_rels/.rels', relations(relation('rId1', 'officeDocument', 'xl/workbook.xml')));
    const sheets = numbers.map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`)).join('');
    yield file('xl/_rels/workbook.xml.rels', relations(sheets + relation('rIdStyles', 'styles', 'styles.xml')));
    const { subject } = this.contents;
    const listed = numbers.map((n) => `<sheet name="${n === 1 ? subject : `${subject} ${n}`}" sheetId="${n}" r:id="rId${n}"/>`).join('');
    yield file('xl/workbook.xml', `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${listed}</sheets></workbook>`);
    yield { name: 'xl/styles.xml', text: [STYLES] };
  }
}

/** A workbook's bytes. @param mostRows of a sheet, its heading included */
export const workbook = (contents: Contents, mostRows = MOST_ROWS): AsyncIterable<Uint8Array> =>
  zipped(new Sheets(contents, mostRows).entries());

/** A workbook of Excel (ECMA-376): texts, numbers and moments, no formulas; a further sheet where one is full. */
export const xlsx: ExportFormat = {
  name: 'xlsx',
  label: 'Excel',
  media_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  extension: 'xlsx',
  subjects: ['findings', 'assets', 'framework', 'audit_log'],
  isCompressed: true,
  write: (contents) => workbook(contents),
};
