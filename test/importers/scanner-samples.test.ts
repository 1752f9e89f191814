import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { PROVIDERS, SEVERITIES } from '../../schema/model.js';
import { findSecretPaths } from '../../redaction/secret-keys.js';
import { detectFormat, fileSource, importers, readHead } from '../../importers/index.js';
import type { Observation } from '../../importers/types.js';
import { otherCounts, sampleFolders } from './fixtures.js';
import { SAMPLES, listSamples, readAll, type Gathered, type Sample } from './read-all.js';
import { needing } from '../support/shared.js';

/** The samples of scanners, each of them a format's that feeds findings. */
const FORMATS = sampleFolders('findings');
const OTHER_COUNTS = otherCounts();

/** Formats whose rules stand around their records, or are the names of them: what spoils a rule spoils all that it found, or the list. */
const RULES_AROUND = new Set(['kics', 'scoutsuite', 'polaris', 'crunch42']);

/** Reports that are no JSON: a byte may break the tags around all of XML, and says nothing in a text. */
const NO_JSON = /\.(?:xml|nessus|ckl|csv|dat|log)$/;

/** Formats that tell how bad a finding is behind all of them. */
const SEVERITY_BEHIND = new Set(['msft_secure_score']);

const everySample = listSamples().filter(({ file }) => !file.endsWith('.labels.tsv'));
const samples = everySample.filter((sample) => sample.format in FORMATS);
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

/** What is wrong with an observation. All that a report gives is looked at, so each costs no assertion of its own. */
function faultsOf(observation: Observation): string[] {
  const { engine, rule_id, title, resource_uid, resource_type, region, position, cvss = 0, epss = 0 } = observation;
  const holds = {
    texts: [engine, rule_id, title, resource_uid, resource_type, region, position].every((text) => /\S/.test(text)),
    provider: PROVIDERS.includes(observation.provider),
    severity: SEVERITIES.includes(observation.severity),
    result: ['PASS', 'FAIL'].includes(observation.result),
    resource_type: /^[a-z][a-z0-9_]*$/.test(resource_type),
    cvss: cvss >= 0 && cvss <= 10,
    epss: epss >= 0 && epss <= 1,
  };
  return Object.entries(holds).flatMap(([what, is]) => (is ? [] : [`${position}: ${what}`]));
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
      expect(first.observations.flatMap(faultsOf)).toEqual([]);
      expect(findSecretPaths(first.items)).toEqual([]);
      expect(new Set(first.rules.map((rule) => rule.rule_id)).size).toBe(first.rules.length);
      const ruleIds = new Set(first.rules.map((rule) => rule.rule_id));
      expect(first.observations.every((observation) => ruleIds.has(observation.rule_id))).toBe(true);
      // What shares an identity says the same.
      const byIdentity = new Map(first.observations.map((observation) => [identity(observation), observation]));
      const differing = first.observations.filter((observation) => {
        const { position: _position, ...said } = observation;
        const { position: _other, ...last } = byIdentity.get(identity(observation))!;
        return !isDeepStrictEqual(said, last);
      });
      expect(differing).toEqual([]);
    },
  );

  it.each(samples.map((sample) => [sample.file, sample] as const))(
    '%s: cut anywhere, what stands before the cut is the same',
    async (_file, sample) => {
      const bytes = readFileSync(sample.path);
      const whole = await read(sample);
      const placeOf = ({ position, rule_id }: Observation) => `${position}\n${rule_id}`;
      const places = new Map(whole.observations.map((observation) => [placeOf(observation), observation]));
      const next = random(bytes.length);
      for (let i = 0; i < 6; i++) {
        const cut = Math.floor(bytes.length * (0.05 + 0.94 * next()));
        const part = await readAll(FORMATS[sample.format] as string, bytes.subarray(0, cut));
        expect(part.truncated).toHaveLength(1);
        expect(part.broken).toEqual([]);
        expect(part.records).toBeLessThanOrEqual(whole.records);
        // what was scanned may have stood behind the cut, and with it the resource
        const told = SEVERITY_BEHIND.has(FORMATS[sample.format] as string) ? (['result'] as const) : (['severity', 'result'] as const);
        const differing = part.observations.filter((observation) => {
          const before = places.get(placeOf(observation));
          return before === undefined || told.some((name) => before[name] !== observation[name]);
        });
        expect(differing).toEqual([]);
      }
    },
  );

  const ofRecords = samples.filter(({ file, format }) => !NO_JSON.test(file) && !RULES_AROUND.has(FORMATS[format] as string));
  it.each(ofRecords.map((sample) => [sample.file, sample] as const))(
    '%s: a garbled byte costs at most one record',
    async (_file, sample) => {
      const whole = await read(sample);
      const next = random(7);
      for (let i = 0; i < 10; i++) {
        const bytes = Buffer.from(readFileSync(sample.path));
        const victim = whole.observations[Math.floor(next() * whole.observations.length)];
        // a bill of materials may tell components only
        if (victim === undefined) continue;
        // A byte of the record's text: its rule id stands in it and nowhere in the structure around it.
        const at = bytes.indexOf(`"${victim.rule_id.slice(0, 60)}"`, bytes.length * 0.3 * next());
        if (at === -1) continue;
        bytes[at] = 0x78;
        const part = await readAll(FORMATS[sample.format] as string, bytes);
        expect(part.broken.length).toBeLessThanOrEqual(1);
        expect(part.truncated).toEqual([]);
        expect(part.records).toBeGreaterThanOrEqual(whole.records - 1);
      }
    },
  );

  it('are told apart in one line and in many, and at any cut behind the first record', async () => {
    for (const sample of samples) {
      const text = readFileSync(sample.path, 'utf8').replace(/^\uFEFF/, '');
      for (const layout of NO_JSON.test(sample.file) ? [text] : layoutsOf(text)) {
        for (const length of [layout.length >> 1, layout.length - 1]) {
          expect(`${sample.file} ${detectFormat(layout.slice(0, Math.min(length, 262_144)))?.name}`).toBe(
            `${sample.file} ${FORMATS[sample.format]}`,
          );
        }
      }
    }
  });
});

describeSamples('files of the wild, of formats that are read and of others', () => {
  const folders = sampleFolders();

  it.each(everySample.map((sample) => [sample.file, sample] as const))(
    '%s is of no other format than its own, wherever its head ends',
    async (file, { path }) => {
      const own = folders[file.split('/')[0]!];
      const head = await readHead(fileSource(path));
      for (const length of cuts(head.length)) {
        const claims = importers.filter((format) => format.detect(head.slice(0, length))).map(({ name }) => name);
        expect({ length, claims: claims.filter((name) => name !== own) }).toEqual({ length, claims: [] });
      }
    },
  );
});

/** A report in one line and in many; one of lines stays in lines, and a script that assigns its report one. */
function layoutsOf(text: string): string[] {
  const [assignment = ''] = /^\s*\w+\s*=\s*/.exec(text) ?? [];
  if (assignment !== '') return layoutsOf(text.slice(assignment.length)).map((layout) => assignment + layout);
  try {
    const value: unknown = JSON.parse(text);
    return [JSON.stringify(value), JSON.stringify(value, null, 4)];
  } catch {
    const lines = text.trim().split('\n');
    return [lines.map((line) => JSON.stringify(JSON.parse(line))).join('\n')];
  }
}

/** Lengths from 1 to all, close to each other at the beginning; DETECTION_CUTS=all takes each of the first 20,000. */
function cuts(length: number): number[] {
  const found = new Set([length]);
  for (let at = 1; at < length; at = Math.ceil(at * 1.3)) found.add(at);
  if (process.env['DETECTION_CUTS'] === 'all') for (let at = 1; at < Math.min(length, 20_000); at++) found.add(at);
  return [...found];
}
