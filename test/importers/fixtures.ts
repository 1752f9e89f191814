import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const FOLDER = join(__dirname, 'fixtures');

const expectedSchema = z.strictObject({
  /** A report beside -> how many items of each kind it gives; kinds that are not named come to none. */
  reports: z.record(z.string(), z.record(z.string(), z.int())),
  /** Where a record stands that tests may spoil: in which report, and its path there; null where reports are no JSON. */
  record: z.strictObject({ report: z.string(), path: z.array(z.union([z.string(), z.int()])) }).nullable(),
  /** The samples of the wild that are of the format, by folder, and where we count otherwise than their manifest, and why. */
  samples: z.strictObject({
    feeds: z.enum(['findings', 'inventory', 'events', 'indicators']),
    folders: z.array(z.string()),
    counts: z.record(z.string(), z.strictObject({ records: z.int(), why: z.string() })),
  }),
});

/** What stands beside the fixtures of a format. */
export type Expected = z.infer<typeof expectedSchema>;

/** The formats that have fixtures. */
export const fixtureFormats: readonly string[] = readdirSync(FOLDER);

/** What the fixtures of a format give. @throws when the format has none */
export function expectedOf(format: string): Expected {
  const path = join(FOLDER, format, 'expected.json');
  if (!existsSync(path)) throw new Error(`the format ${format} has no fixtures: write ${path}`);
  return expectedSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** The bytes of a fixture. */
export const fixture = (format: string, report: string): Buffer => readFileSync(join(FOLDER, format, report));

/** Folder of samples -> the format that its reports are in. */
export const sampleFolders = (feeds?: Expected['samples']['feeds']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fixtureFormats.flatMap((format) => {
      const { samples } = expectedOf(format);
      return feeds === undefined || samples.feeds === feeds ? samples.folders.map((folder) => [folder, format]) : [];
    }),
  );

/** Samples that we count otherwise than their manifest. */
export const otherCounts = (): Readonly<Record<string, { records: number; why: string }>> =>
  Object.assign({}, ...fixtureFormats.map((format) => expectedOf(format).samples.counts)) as Record<
    string,
    { records: number; why: string }
  >;
