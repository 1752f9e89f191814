import type { ExportFormat } from './format.js';

/** JSON lines: an object a line, with all that the list shows of it. */
export const jsonLines: ExportFormat = {
  name: 'jsonl',
  label: 'JSON lines',
  media_type: 'application/jsonl; charset=utf-8',
  extension: 'jsonl',
  subjects: ['findings', 'assets', 'framework', 'audit_log'],
  async *write({ rows }) {
    for await (const batch of rows) if (batch.length > 0) yield batch.map((row) => `${JSON.stringify(row)}\n`).join('');
  },
};
