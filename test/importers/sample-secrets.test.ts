import { readFileSync } from 'node:fs';
import { fileSource } from '../../importers/index.js';
import { sampleFolders } from './fixtures.js';
import { documentsOf, formsOf, LONG_ENOUGH, secretsOf } from './report-secrets.js';
import { SAMPLES, listSamples, readAll } from './read-all.js';
import { needing } from '../support/shared.js';

const formats = sampleFolders('findings');
const reports = listSamples().filter(({ file }) => /^(?:gitleaks|trufflehog)_json\/|gitleaks.*\.sarif$/.test(file));

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
