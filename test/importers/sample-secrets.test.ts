import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileSource } from '../../importers/index.js';
import { sampleFolders } from './fixtures.js';
import { SAMPLES, listSamples, readAll } from './read-all.js';
import { needing } from '../support/shared.js';

/** The members in which a scanner of secrets writes what it found. */
const SHOWN = new Set([
  'snippet',
  'Secret',
  'Match',
  'Raw',
  'RawV2',
  'offender',
  'secret',
  'match',
  'line',
  'raw_source_code_extract',
  'stringsFound',
]);
/** Shorter texts stand in words that are no secrets. */
const LONG_ENOUGH = 8;

const formats = sampleFolders('findings');
const reports = listSamples().filter(({ file }) => /^(?:gitleaks|trufflehog)_json\/|gitleaks.*\.sarif$/.test(file));

/** The secrets of a report: texts of those members, as they are and line by line. */
function secretsOf(value: unknown, isShown = false): string[] {
  if (typeof value === 'string') return isShown ? [value, ...value.split(/[\r\n]+/)].map((text) => text.trim()) : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => secretsOf(member, isShown || SHOWN.has(key)));
}

const documentsOf = (text: string): unknown[] => {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }
};

/** A secret in the forms in which it could be tried or read. */
const formsOf = (secret: string): string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret, 'base64').toString('utf8'),
  ...['md5', 'sha1', 'sha256'].map((name) => createHash(name).update(secret).digest('hex').slice(0, 12)),
];

needing(SAMPLES).describe('secrets that scanners found in the wild', () => {
  it.each(reports.map((sample) => [sample.file, sample] as const))(
    '%s: what is kept holds none, nor a digest of one',
    async (_file, { path, format }) => {
      const secrets = [...new Set(documentsOf(readFileSync(path, 'utf8')).flatMap((document) => secretsOf(document)))].filter(
        (secret) => secret.length >= LONG_ENOUGH,
      );
      expect(secrets.length).toBeGreaterThan(0);
      const { items, observations } = await readAll(formats[format] as string, fileSource(path));
      expect(observations.length).toBeGreaterThan(0);
      const kept = JSON.stringify(
        items.map((item) => {
          if (item.kind !== 'observation') return item;
          // what an earlier release stored it under is looked up by, and not kept
          const { former_discriminator: _, ...observation } = item.observation;
          return observation;
        }),
      );
      const found = secrets.filter((secret) => formsOf(secret).some((form) => form.length >= LONG_ENOUGH && kept.includes(form)));
      expect(found.map((secret) => secrets.indexOf(secret))).toEqual([]);
    },
  );
});
