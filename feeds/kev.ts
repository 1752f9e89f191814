import { z } from 'zod';
import { readCsv } from '../importers/readers/csv/records.js';
import { readJson } from '../importers/readers/json/records.js';
import { readHead } from '../importers/readers/source.js';
import type { ReportSource } from '../importers/types.js';
import type { KnownExploitation } from '../kit/findings/cves/intelligence.js';
import { idOfCve } from './cve-id.js';
import { NotOfFeed } from './kinds.js';
import { wholeRecords } from './whole-records.js';

/** More than the catalog will hold for a long time. */
const MOST = 100_000;

const text = z.string().trim().nullish();
const entrySchema = z.object({
  cveID: z.string(),
  vendorProject: text,
  product: text,
  vulnerabilityName: text,
  dateAdded: text,
  dueDate: text,
  requiredAction: text,
  knownRansomwareCampaignUse: text,
});
type Entry = z.infer<typeof entrySchema>;

/** Columns of the CSV, which readers key in lower case. */
const COLUMNS = Object.keys(entrySchema.shape) as (keyof Entry)[];

/** The catalog: its version, where it tells one, and what it says of each CVE. */
export interface KevCatalog {
  readonly version: string | null;
  readonly entries: ReadonlyMap<string, KnownExploitation>;
}

/** Reads the whole catalog of CISA, as JSON or CSV. @throws NotOfFeed when it is none, or any of it cannot be read */
export async function readKev(source: ReportSource): Promise<KevCatalog> {
  const isJson = (await readHead(source, 1_024)).trimStart().startsWith('{');
  const entries = new Map<string, KnownExploitation>();
  for await (const value of isJson ? jsonEntries(source) : csvEntries(source)) {
    const parsed = entrySchema.safeParse(value);
    const cve = parsed.success ? idOfCve(parsed.data.cveID) : undefined;
    if (!parsed.success || cve === undefined) throw new NotOfFeed('it holds an entry that names no CVE: it is no KEV catalog');
    entries.set(cve, factsOf(parsed.data));
    if (entries.size > MOST) throw new NotOfFeed(`it holds more than ${MOST} entries`);
  }
  if (entries.size === 0) throw new NotOfFeed('it holds no entry of a KEV catalog');
  return { version: isJson ? await versionOf(source) : null, entries };
}

async function* jsonEntries(source: ReportSource): AsyncGenerator<unknown> {
  for await (const { value } of wholeRecords(readJson(source, ['vulnerabilities[*]']))) yield value;
}

async function versionOf(source: ReportSource): Promise<string | null> {
  for await (const item of readJson(source, ['catalogVersion'])) {
    if (item.kind === 'value' && typeof item.value === 'string') return item.value;
  }
  return null;
}

async function* csvEntries(source: ReportSource): AsyncGenerator<unknown> {
  for await (const { value: row } of wholeRecords(readCsv(source, { columns: ['cveID', 'dateAdded', 'dueDate'] }))) {
    yield Object.fromEntries(COLUMNS.map((column) => [column, row[column.toLowerCase()]]));
  }
}

function factsOf(entry: Entry): KnownExploitation {
  const use = entry.knownRansomwareCampaignUse?.toLowerCase();
  return {
    vendor: entry.vendorProject || null,
    product: entry.product || null,
    name: entry.vulnerabilityName || null,
    added_on: entry.dateAdded || null,
    due_on: entry.dueDate || null,
    ransomware: use === 'known' ? true : null,
    required_action: entry.requiredAction || null,
  };
}
