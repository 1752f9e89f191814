import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importers } from '../../importers/index.js';
import { formatsPage } from '../../scripts/formats-page.js';
import { parseFigures, readDoubts, readSamples, writeFigures } from '../../scripts/sample-figures.js';
import { needing } from '../support/shared.js';
import { SAMPLES } from './read-all.js';

const ROOT = join(__dirname, '../..');
const told = readFileSync(join(ROOT, 'scripts/sample-figures.tsv'), 'utf8');
const figures = parseFigures(told);
const doubts = readDoubts(join(__dirname, 'fixtures'));

describe('the figures of real reports', () => {
  it('are of all formats that have any, without a record that could not be read', () => {
    expect(figures.length).toBeGreaterThan(100);
    const names = new Set(importers.map(({ name }) => name));
    expect(figures.filter(({ format, broken }) => !names.has(format) || broken > 0)).toEqual([]);
  });

  it('are those of the manifest, or it is said why they are others', () => {
    const unexplained = figures.filter(({ file, records, manifest }) => manifest !== null && records !== manifest && !doubts.has(file));
    expect(unexplained).toEqual([]);
  });

  it('are on the page of the formats', () => {
    expect(formatsPage(importers, figures, doubts)).toBe(readFileSync(join(ROOT, 'docs/formats.md'), 'utf8'));
  });

  needing(SAMPLES).it('are what the samples give', async () => {
    expect(writeFigures((await readSamples(SAMPLES as string))!)).toBe(told);
  });
});
