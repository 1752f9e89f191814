import { readFileSync } from 'node:fs';
import { documentsOf, formsOf, LONG_ENOUGH, secretsOf } from '../importers/report-secrets.js';
import { listSamples, SAMPLES } from '../importers/read-all.js';
import { needing } from '../support/shared.js';
import { tenantRows } from '../support/tenant-rows.js';
import { openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Reports of tools that write down the secrets that they find. */
const reports = listSamples().filter(({ file }) => /^(?:gitleaks|trufflehog)_json\/|gitleaks.*\.sarif$/.test(file));

needing(SAMPLES).describe('secrets that scanners found in the wild', () => {
  it('stand nowhere in the store once their reports are imported, nor a digest of one', async () => {
    const { tenant, as } = await world.tenant();
    const client = await as('analyst');
    const secrets = new Set<string>();
    for (const { path } of reports) {
      const text = readFileSync(path, 'utf8');
      for (const document of documentsOf(text))
        for (const secret of secretsOf(document)) if (secret.length >= LONG_ENOUGH) secrets.add(secret);
      const run = await client.import(text);
      expect(run).toMatchObject({ state: 'COMPLETED', counts: { skipped: 0 } });
      expect(run.total_findings).toBeGreaterThan(0);
    }
    expect(secrets.size).toBeGreaterThan(10);
    const rows = await tenantRows(world.database, tenant.tenant_id);
    expect(Object.values(rows).flat().length).toBeGreaterThan(reports.length);
    const forms = [...secrets].map((secret) => formsOf(secret).filter((form) => form.length >= LONG_ENOUGH));
    const found = Object.entries(rows).flatMap(([collection, all]) => {
      const kept = all.map((row) => Buffer.from(row, 'base64').toString('utf8')).join('\n');
      return forms.flatMap((own, index) => (own.some((form) => kept.includes(form)) ? [`${collection}: secret ${index}`] : []));
    });
    expect(found).toEqual([]);
    // what is looked through is what was imported
    expect(
      Object.values(rows)
        .flat()
        .some((row) => Buffer.from(row, 'base64').toString('utf8').includes('gitleaks')),
    ).toBe(true);
  });
});
