import { readFileSync } from 'node:fs';
import { PROVIDERS, SEVERITIES } from '../../schema/model.js';
import { findSecretPaths } from '../../redaction/secret-keys.js';
import { detectFormat, fileSource } from '../../importers/index.js';
import type { Observation } from '../../importers/types.js';
import { otherCounts, sampleFolders } from './fixtures.js';
import { SAMPLES, listSamples, readAll, type Gathered, type Sample } from './read-all.js';
import { needing } from '../support/shared.js';

/** The samples of scanners, each of them a format's that feeds findings. */
const FORMATS = sampleFolders('findings');
const OTHER_COUNTS = otherCounts();

const samples = listSamples().filter((sample) => sample.format in FORMATS);
const describeSamples = needing(SAMPLES).describe;
if (SAMPLES === undefined) process.stdout.write('The samples are absent: their tests are skipped.\n');

/** Numbers that are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function identity(observation: Observation): string {
  return [observation.engine, observation.rule_id, observation.resource_uid, observation.discriminator ?? ''].join('\n');
}

function assertValid(observation: Observation): void {
  const { engine, rule_id, title, resource_uid, resource_type, region, position } = observation;
  for (const text of [engine, rule_id, title, resource_uid, resource_type, region, position]) expect(text).toMatch(/\S/);
  expect(PROVIDERS).toContain(observation.provider);
  expect(SEVERITIES).toContain(observation.severity);
  expect(['PASS', 'FAIL']).toContain(observation.result);
  expect(resource_type).toMatch(/^[a-z][a-z0-9_]*$/);
  if (observation.cvss !== undefined) expect(observation.cvss >= 0 && observation.cvss <= 10).toBe(true);
  if (observation.epss !== undefined) expect(observation.epss >= 0 && observation.epss <= 1).toBe(true);
}

/** Where a text stands as a value, from a place on; -1 where it does not. */
function valueAt(bytes: Buffer, text: string, from: number): number {
  const quoted = JSON.stringify(text);
  for (let at = bytes.indexOf(quoted, from); at !== -1; at = bytes.indexOf(quoted, at + 1))
    if (!/^\s*:/.test(bytes.toString('latin1', at + Buffer.byteLength(quoted), at + Buffer.byteLength(quoted) + 20))) return at;
  return -1;
}

const read = (sample: Sample): Promise<Gathered> => readAll(FORMATS[sample.format] as string, fileSource(sample.path));
const records = (sample: Sample): number => OTHER_COUNTS[sample.file]?.records ?? sample.records;

describeSamples('scanner reports of the wild', () => {
  it('are all there', () => expect(new Set(samples.map((sample) => sample.format))).toEqual(new Set(Object.keys(FORMATS))));

  it.each(samples.map((sample) => [sample.file, sample] as const))(
    '%s: all records are read, alike each time, valid and without secrets',
    async (_file, sample) => {
      const first = await read(sample);
      expect({ records: first.records, broken: first.broken, truncated: first.truncated }).toEqual({
        records: records(sample),
        broken: [],
        truncated: [],
      });
      expect((await read(sample)).items).toEqual(first.items);
      first.observations.forEach(assertValid);
      expect(findSecretPaths(first.items)).toEqual([]);
      expect(new Set(first.rules.map((rule) => rule.rule_id)).size).toBe(first.rules.length);
      const ruleIds = new Set(first.rules.map((rule) => rule.rule_id));
      expect(first.observations.every((observation) => ruleIds.has(observation.rule_id))).toBe(true);
      // What shares an identity says the same.
      const byIdentity = new Map(first.observations.map((observation) => [identity(observation), observation]));
      for (const { position: _position, ...observation } of first.observations)
        expect(byIdentity.get(identity(observation as Observation))).toMatchObject(observation);
    },
  );

  it.each(samples.map((sample) => [sample.file, sample] as const))(
    '%s: cut anywhere, what stands before the cut is the same',
    async (_file, sample) => {
      const bytes = readFileSync(sample.path);
      const whole = await read(sample);
      const positions = new Map(whole.observations.map((observation) => [observation.position, observation]));
      const next = random(bytes.length);
      for (let i = 0; i < 6; i++) {
        const cut = Math.floor(bytes.length * (0.05 + 0.94 * next()));
        const part = await readAll(FORMATS[sample.format] as string, bytes.subarray(0, cut));
        expect(part.truncated).toHaveLength(1);
        expect(part.broken).toEqual([]);
        expect(part.records).toBeLessThanOrEqual(whole.records);
        for (const { resource_uid, resource_name, provider, artifact, provider_metadata, ...observation } of part.observations) {
          // What was scanned may have stood behind the cut.
          expect([resource_uid, resource_name, provider, artifact, provider_metadata]).toBeDefined();
          expect(positions.get(observation.position)).toMatchObject({
            rule_id: observation.rule_id,
            severity: observation.severity,
            result: observation.result,
          });
        }
      }
    },
  );

  it.each(samples.map((sample) => [sample.file, sample] as const))('%s: a garbled byte costs at most one record', async (_file, sample) => {
    const whole = await read(sample);
    const next = random(7);
    for (let i = 0; i < 10; i++) {
      const bytes = Buffer.from(readFileSync(sample.path));
      const victim = whole.observations[Math.floor(next() * whole.observations.length)] as Observation;
      // A byte of the record's text, not of the name of a member, which would be one of the structure around it.
      const from = Math.floor(bytes.length * 0.3 * next());
      const at = [victim.rule_id.slice(0, 60), victim.title].map((text) => valueAt(bytes, text, from)).find((place) => place !== -1) ?? -1;
      if (at === -1) continue;
      bytes[at] = 0x78;
      const part = await readAll(FORMATS[sample.format] as string, bytes);
      expect(part.broken.length).toBeLessThanOrEqual(1);
      expect(part.truncated).toEqual([]);
      expect(part.records).toBeGreaterThanOrEqual(whole.records - 1);
    }
  });

  it('are told apart in one line and in many, and at any cut behind the first record', async () => {
    for (const sample of samples) {
      const text = readFileSync(sample.path, 'utf8').replace(/^\uFEFF/, '');
      // the page of ScoutSuite reads a script that assigns its report
      const begin = text.search(/[[{]/);
      const value: unknown = JSON.parse(text.slice(begin));
      for (const layout of [JSON.stringify(value), JSON.stringify(value, null, 4)].map((json) => text.slice(0, begin) + json)) {
        for (const length of [layout.length >> 1, layout.length - 1]) {
          expect(`${sample.file} ${detectFormat(layout.slice(0, Math.min(length, 262_144)))?.name}`).toBe(
            `${sample.file} ${FORMATS[sample.format]}`,
          );
        }
      }
    }
  });
});
