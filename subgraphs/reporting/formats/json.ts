import type { ExportFormat } from './format.js';

/** One JSON array of objects, with all that the list shows of each. */
export const json: ExportFormat = {
  name: 'json',
  label: 'JSON',
  media_type: 'application/json; charset=utf-8',
  extension: 'json',
  subjects: ['findings', 'assets', 'framework', 'audit_log'],
  async *write({ rows }) {
    let before = '[\n';
    for await (const batch of rows) {
      if (batch.length === 0) continue;
      yield before + batch.map((row) => JSON.stringify(row)).join(',\n');
      before = ',\n';
    }
    yield before === '[\n' ? '[]\n' : '\n]\n';
  },
};
