import { z } from 'zod';
import { isDistribution, packageKey } from '../catalog/advisories/ecosystems.js';
import type { AffectedPackage, AffectedRange, RangeEvent } from '../catalog/advisories/types.js';
import { bestCvss, toRating } from '../importers/normalize/cvss.js';
import { vulnerabilityName } from '../importers/normalize/package-vulnerability.js';
import { toSeverity } from '../importers/normalize/severity.js';
import { archiveItems, archiveKind } from '../importers/readers/archive/archive.js';
import { readJson } from '../importers/readers/json/records.js';
import { readHead } from '../importers/readers/source.js';
import type { ReportSource } from '../importers/types.js';
import type { Severity } from '../schema/model.js';
import { idOfCve } from './cve-id.js';
import { NotOfFeed } from './kinds.js';
import type { ToldAdvisory } from './records.js';
import { wholeRecords } from './whole-records.js';

/** Advisories of one archive: OSV has some 300,000 in its largest. */
const MOST_ENTRIES = 2_000_000;
const MAX_SUMMARY = 500;

const eventSchema = z.partialRecord(z.enum(['introduced', 'fixed', 'last_affected', 'limit']), z.string());
const affectedSchema = z.object({
  package: z.object({ ecosystem: z.string().min(1), name: z.string().min(1) }).nullish(),
  ranges: z.array(z.object({ type: z.string(), events: z.array(eventSchema) })).nullish(),
  versions: z.array(z.string()).nullish(),
});
/** What is read of an advisory (OSV schema 1.7). */
const osvSchema = z.object({
  id: z.string().min(1).max(200),
  modified: z.string(),
  withdrawn: z.string().nullish(),
  summary: z.string().nullish(),
  aliases: z.array(z.string()).nullish(),
  upstream: z.array(z.string()).nullish(),
  related: z.array(z.string()).nullish(),
  database_specific: z.object({ severity: z.unknown() }).partial().nullish().catch(null),
  severity: z.array(z.object({ type: z.string(), score: z.string() })).nullish(),
  affected: z.array(affectedSchema).nullish(),
});
type Osv = z.infer<typeof osvSchema>;

/** Reads OSV's advisories one after the other: of an archive, an object, a list, or JSON lines. @throws NotOfFeed at what is none */
export async function* readOsv(source: ReportSource): AsyncGenerator<ToldAdvisory> {
  const kind = await archiveKind(source);
  if (kind === undefined) return yield* advisoriesOf(source, '');
  for await (const item of archiveItems(source, kind, MOST_ENTRIES)) {
    if (item.kind === 'truncated') throw new NotOfFeed(item.reason);
    if (item.kind === 'refused') throw new NotOfFeed(`${item.name} ${item.reason}`);
    if (item.name.endsWith('.json')) yield* advisoriesOf(item.source, `${item.name}: `);
  }
}

async function* advisoriesOf(source: ReportSource, where: string): AsyncGenerator<ToldAdvisory> {
  const isList = (await readHead(source, 64)).trimStart().startsWith('[');
  for await (const { value, position } of wholeRecords(readJson(source, [isList ? '$[*]' : '$']), where)) {
    const parsed = osvSchema.safeParse(value);
    if (!parsed.success) throw new NotOfFeed(`${where}${position}: this is no advisory of OSV`);
    yield rowOf(parsed.data);
  }
}

function rowOf(osv: Osv): ToldAdvisory {
  const affected = osv.withdrawn ? [] : (osv.affected ?? []).flatMap(packageOf);
  const ratings = (osv.severity ?? []).flatMap(({ type, score }) => (type.startsWith('CVSS') ? (toRating(undefined, score) ?? []) : []));
  return {
    _id: osv.id,
    modified: osv.modified,
    summary: osv.summary?.slice(0, MAX_SUMMARY) ?? null,
    ...namesOf(osv),
    severity: severityOf(osv),
    cvss: bestCvss(ratings)?.score ?? null,
    packages: [...new Set(affected.map(packageKey))],
    affected,
  };
}

/** An advisory of a distribution about a CVE, as it names itself: `DEBIAN-CVE-2024-1234`. */
const ABOUT_ONE = /^[A-Z]+-(CVE-\d{4}-\d{4,})$/;
const ofCves = (ids: readonly string[] | null | undefined): string[] => [...new Set((ids ?? []).flatMap((id) => idOfCve(id) ?? []))].sort();

/**
 * What an advisory is called. Its aliases are other names of the one vulnerability, and the CVE among them is what findings are called. Errata of
 * distributions have names of their own, and tell as `upstream`, earlier ones as `related`, which vulnerabilities they fix: a finding each.
 */
function namesOf({ id, aliases, upstream, related, affected }: Osv): Pick<ToldAdvisory, 'cves' | 'rule_ids' | 'aliases'> {
  const names = [...new Set([id, ...(aliases ?? [])])];
  const own = vulnerabilityName(names);
  const about = ABOUT_ONE.exec(id)?.[1];
  const isErratum = (affected ?? []).some((one) => one.package != null && isDistribution(one.package.ecosystem));
  const told = ofCves([...(upstream ?? []), ...(about === undefined ? [] : [about])]);
  const fixed = told.length > 0 || !isErratum ? told : ofCves(related);
  return {
    cves: ofCves([...names, ...fixed]),
    rule_ids: idOfCve(own) !== undefined || fixed.length === 0 ? [own] : fixed,
    aliases: names.filter((name) => name !== id),
  };
}

/** How bad its publisher calls it: GitHub and Ubuntu say it in words. Packages that are malicious as a whole (`MAL-`) have no score. */
function severityOf({ id, severity, database_specific }: Osv): Severity | null {
  if (id.startsWith('MAL-')) return 'critical';
  const words = [database_specific?.severity, ...(severity ?? []).map(({ type, score }) => (type.startsWith('CVSS') ? undefined : score))];
  return words.map((word) => (typeof word === 'string' ? toSeverity(word) : undefined)).find((known) => known !== undefined) ?? null;
}

function packageOf({ package: named, ranges, versions }: z.infer<typeof affectedSchema>): AffectedPackage[] {
  if (!named) return [];
  const kept = (ranges ?? []).flatMap(({ type, events }): AffectedRange[] =>
    type === 'SEMVER' || type === 'ECOSYSTEM' ? [{ type, events: events.flatMap(eventsOf) }] : [],
  );
  return [{ ecosystem: named.ecosystem, name: named.name, ranges: kept, versions: versions ?? [] }];
}

const eventsOf = (event: z.infer<typeof eventSchema>): RangeEvent[] =>
  Object.entries(event).map(([kind, version]) => ({ kind: kind as RangeEvent['kind'], version }));
