import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { importers } from '../../importers/index.js';
import { fileSource, readHead } from '../../importers/readers/source.js';
import type { ImportItem } from '../../importers/types.js';
import { PROVIDERS } from '../../schema/model.js';
import { findSecretPaths } from '../../redaction/secret-keys.js';
import { expectedOf, otherCounts, sampleFolders } from './fixtures.js';
import { needing, shared } from '../support/shared.js';

const SAMPLES = shared('data/samples') ?? '';
/** Folder of samples -> the format its reports are in. */
const FORMATS = sampleFolders('inventory');
const IMPORTERS = importers.filter(({ name }) => expectedOf(name).samples.feeds === 'inventory');
const DIFFERENCES = otherCounts();

const present = SAMPLES !== '';
if (!present) console.warn(`samples are absent: ${SAMPLES}; the tests over them are skipped`);
const files = present
  ? readdirSync(SAMPLES)
      .filter((folder) => statSync(join(SAMPLES, folder)).isDirectory())
      .flatMap((folder) => readdirSync(join(SAMPLES, folder)).map((name) => `${folder}/${name}`))
      .filter((file) => statSync(join(SAMPLES, file)).isFile())
  : [];
const formatOf = (file: string): string | undefined => (file.endsWith('.tsv') ? undefined : FORMATS[file.split('/')[0] ?? '']);
const ours = files.filter((file) => formatOf(file) !== undefined);
const manifest = new Map(
  present
    ? readFileSync(join(SAMPLES, 'manifest.tsv'), 'utf8')
        .split('\n')
        .map((line) => [line.split('\t')[0] ?? '', Number(line.split('\t')[4])])
    : [],
);

async function readAll(file: string): Promise<ImportItem[]> {
  const importer = IMPORTERS.find(({ name }) => name === formatOf(file));
  const items: ImportItem[] = [];
  if (importer !== undefined) for await (const item of importer.read(fileSource(join(SAMPLES, file)), {})) items.push(item);
  return items;
}

const suite = needing(present || undefined).describe;

suite('over all samples', () => {
  it('each report is detected by its own format alone', async () => {
    const wrong: string[] = [];
    for (const file of files) {
      const head = await readHead(fileSource(join(SAMPLES, file)));
      const claims = IMPORTERS.filter((importer) => importer.detect(head)).map(({ name }) => name);
      const own = formatOf(file);
      if (claims.join() !== (own ?? '')) wrong.push(`${file}: ${claims.join()}`);
    }
    expect(wrong).toEqual([]);
    expect(new Set(files.map((file) => file.split('/')[0])).size).toBeGreaterThan(50);
  });

  it('no head, cut anywhere, is claimed by another format', async () => {
    for (const file of files.filter((name) =>
      /^(?:kubescape|trivy_operator|cloud_api_responses|openapi|sigma|kube_bench|checkov_json|sarif|ocsf)\//.test(name),
    )) {
      const head = await readHead(fileSource(join(SAMPLES, file)));
      for (let end = 1; end < head.length; end = Math.ceil(end * 1.7)) {
        const others = IMPORTERS.filter(({ name }) => name !== formatOf(file));
        expect([file, end, others.filter((importer) => importer.detect(head.slice(0, end))).length]).toEqual([file, end, 0]);
      }
    }
  });

  it.each(ours)('%s gives as many records as it has, valid assets, and no secret', async (file) => {
    const items = await readAll(file);
    const records = items.filter(({ kind }) => kind === 'record').length;
    expect(records).toBe(DIFFERENCES[file]?.records ?? manifest.get(file));
    expect(items.filter(({ kind }) => kind === 'broken' || kind === 'truncated')).toEqual([]);
    const uids = new Set<string>();
    for (const item of items) {
      expect(findSecretPaths(item)).toEqual([]);
      if (item.kind !== 'asset') continue;
      const { asset } = item;
      expect(PROVIDERS).toContain(asset.provider);
      expect(asset.resource_type).toMatch(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/);
      expect(asset.region).toMatch(/^[\w-]+$/);
      expect(asset.resource_name).not.toBe('');
      expect(uids.has(asset.resource_uid)).toBe(false);
      uids.add(asset.resource_uid);
    }
    for (const item of items) if (item.kind === 'edge') expect([uids.has(item.edge.from), uids.has(item.edge.to)]).toEqual([true, true]);
    expect(await readAll(file)).toEqual(items);
  });

  it('posture attributes come through unchanged', async () => {
    const kept: Record<string, number> = {};
    for (const file of ours) {
      for (const item of await readAll(file)) {
        if (item.kind !== 'asset') continue;
        for (const match of JSON.stringify(item.asset.configuration).matchAll(
          /"(http_tokens|kms_key_id|password_reuse_prevention|minimum_password_length|enable_key_rotation|secretName|automountServiceAccountToken)":("\[REDACTED\]")?/g,
        )) {
          expect(match[2]).toBeUndefined();
          kept[match[1] ?? ''] = (kept[match[1] ?? ''] ?? 0) + 1;
        }
      }
    }
    expect(Object.keys(kept)).toHaveLength(7);
  });
});
