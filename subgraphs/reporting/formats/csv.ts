import { cellText } from './cell.js';
import type { ExportFormat } from './format.js';

const NEEDS_QUOTES = /[",\r\n]/;
const field = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const line = (fields: readonly string[]): string => `${fields.map(field).join(',')}\r\n`;

/** Comma-separated values (RFC 4180), UTF-8, with the names of the columns in the first line. */
export const csv: ExportFormat = {
  name: 'csv',
  label: 'CSV',
  media_type: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  subjects: ['findings', 'assets', 'framework', 'audit_log'],
  async *write({ columns, rows }) {
    yield line(columns.map(({ name }) => name));
    for await (const batch of rows) {
      let text = '';
      for (const row of batch) text += line(columns.map(({ name, kind }) => cellText(row[name], kind)));
      if (text !== '') yield text;
    }
  },
};
