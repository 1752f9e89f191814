import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { csv } from '../../subgraphs/reporting/formats/csv.js';
import type { Column, ExportFormat, Row } from '../../subgraphs/reporting/formats/format.js';
import { xlsx } from '../../subgraphs/reporting/formats/xlsx.js';
import { needing } from '../support/shared.js';

// what people open files with
jest.setTimeout(300_000);

const COLUMNS: readonly Column[] = [
  { name: 'title', kind: 'text' },
  { name: 'risk_score', kind: 'number' },
];
const ROWS: readonly Row[] = [
  { title: 'Öffentlich, „für alle“\nзеркало 存储桶', risk_score: 95 },
  { title: '=HYPERLINK("http://evil.example","x")', risk_score: 7 },
  { title: '+1+1', risk_score: null },
];

async function fileOf(format: ExportFormat, folder: string): Promise<string> {
  async function* rows() {
    yield ROWS;
  }
  const parts: Buffer[] = [];
  const contents = { id: '7b0f2c1e-5b3a-4d57-8f0e-0d6d5a3f9b11', subject: 'findings', title: 'Findings', madeAt: new Date(0) } as const;
  for await (const part of format.write({ ...contents, columns: COLUMNS, rows: rows(), framework: null, tell: () => undefined }))
    parts.push(Buffer.from(part));
  const path = join(folder, `written.${format.extension}`);
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

const soffice = spawnSync('soffice', ['--version']).error === undefined ? 'soffice' : undefined;
needing(soffice).it.each([csv, xlsx])(
  'LibreOffice opens $label, reads its texts and numbers, and runs no formula of it',
  async (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'office-'));
    try {
      const path = await fileOf(format, folder);
      const input = format === csv ? ['--infilter=CSV:44,34,76,1'] : [];
      const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
      const out = ['--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76,1', '--outdir', join(folder, 'out'), path];
      const { stderr, status } = spawnSync('soffice', [profile, '--headless', ...input, ...out], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
      const [heading, ...read] = parse(readFileSync(join(folder, 'out', 'written.csv')), { bom: true }) as string[][];
      expect(heading).toEqual(['title', 'risk_score']);
      expect(read).toEqual([
        ['Öffentlich, „für alle“\nзеркало 存储桶', '95'],
        [`'=HYPERLINK("http://evil.example","x")`, '7'],
        [`'+1+1`, ''],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
