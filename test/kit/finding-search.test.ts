import { randomUUID } from 'node:crypto';
import { FINDING_STATUSES, PROVIDERS, SEVERITIES } from '../../schema/model.js';
import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { findingCondition, type FindingFilter } from '../../kit/findings/filters.js';
import { findingOrder } from '../../kit/findings/order.js';
import { countFindings } from '../../kit/findings/query.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { findingRowId, findings, type FindingRow } from '../../kit/findings/row.js';
import { pageOf, search, selection } from '../../kit/findings/search.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { Database } from '../../kit/store/database.js';
import { folded, partConditions, partsOf } from '../../kit/store/text-parts.js';
import { pick, random } from '../contract/list-model.js';
import { writeFindings } from '../support/finding-changes.js';

const next = random(17);
const WORDS = ['bucket', 'us.east-1', 'Straße', 'KELVIN', 'K', 'ſ', 'a(b)*', '日本', 'İ', '-0', '"q"', 'öffentlich', '🪣'];
const words = (most: number) =>
  Array.from({ length: 1 + Math.floor(most * next()) }, () => pick(next, WORDS)).join(pick(next, ['', ' ', '-']));
const TITLES = Array.from({ length: 12 }, () => words(5));

let database: Database;
const own = (tenant = 't') => database.tenant(tenant).engine('check');
const known = new Map<string, FindingRow>();
let serial = 0;

beforeAll(async () => {
  const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
  database = await Database.open(uri, `search_${randomUUID().slice(0, 8)}`, [findings, findingCounters, findingTexts]);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

function nameOf(resource: number): string | null {
  const name = `name-${resource} ${WORDS[resource % WORDS.length]}`;
  return [null, words(3), pick(next, [null, name]), name, name][resource % 5]!;
}

/** Rules with one title, with some, with more than are kept, and with one that is too long; resources with a name, several, one in some findings alone, or none. */
function reported(rule: number, resource: number): Partial<FindingRow> {
  const severity = pick(next, SEVERITIES);
  return {
    title:
      rule < 6
        ? TITLES[rule]!
        : rule === 6
          ? pick(next, TITLES)
          : rule === 7
            ? `${'long '.repeat(60)}${words(3)}`
            : TITLES[rule + (serial % 2)]!,
    resource_name: nameOf(resource),
    severity,
    severity_rank: severityRank(severity),
    status: pick(next, FINDING_STATUSES),
    provider: pick(next, PROVIDERS.slice(0, 2)),
    last_seen_at: new Date(1_000 * Math.floor(next() * 9)),
  };
}

function made(): FindingRow {
  const [rule, resource] = [Math.floor(10 * next()), Math.floor(20 * next())];
  const finding_id = String(++serial).padStart(8, '0');
  const row = { _id: findingRowId('t', 'check', finding_id), tenant_id: 't', engine: 'check', finding_id, discriminator: finding_id };
  const place = { account_id: pick(next, ['one', 'two']), region: 'eu', resource_type: 'bucket', scan_run_id: 'run' };
  const of = { rule_id: `rule-${rule}`, resource_uid: `resource-${resource}`, risk_score: 10, first_seen_at: new Date(0) };
  return { ...row, ...of, ...place, ...reported(rule, resource) } as FindingRow;
}

/** Findings that open, get other titles and names, and go. */
async function change(size: number): Promise<void> {
  const counters = new CounterChanges();
  const added = Array.from({ length: size }, made);
  const old = [...known.values()];
  const updates = old
    .filter((_, n) => n % 3 === 1)
    .map((row) => ({ row, to: { ...row, ...reported(Number(row.rule_id.slice(5)), Number(row.resource_uid.slice(9))) } }));
  const gone = old
    .filter(({ rule_id }, n) => rule_id === 'rule-1' || n % 11 === 0)
    .filter((row) => !updates.some((one) => one.row === row));
  for (const row of added) counters.add(row, 1);
  for (const { row, to } of updates) {
    // what a run reads of a finding that it sees again has no title
    const { title: _, resource_name: _name, ...stored } = row;
    counters.move(stored, to);
  }
  for (const row of gone) counters.add(row, -1);
  await writeFindings(database, own(), { added, updates, gone }, counters, known);
}

/** Pieces of titles and names, as people write them, and what nothing holds. */
function wanted(): string[] {
  const texts = [...known.values()].flatMap(({ title, resource_name }) => [title, resource_name ?? '']);
  const pieces = Array.from({ length: 60 }, () => {
    const text = pick(next, texts);
    const from = Math.floor(text.length * next());
    const piece = text.slice(from, from + 1 + Math.floor(14 * next()));
    return pick(next, [piece, piece.toUpperCase(), piece.toLowerCase()]);
  });
  return [...pieces, 'k', 'kelvin', 'nowhere', '.*', 'us-east', 'STRASSE', 'name-1', 'long long', '*', '~~~'].filter(
    (piece) => piece !== '',
  );
}

const OTHERS: FindingFilter[] = [
  {},
  { status: FINDING_STATUSES },
  { severity: ['critical', 'high'] },
  { account_id: ['one'] },
  { rule_id: ['rule-0', 'rule-6'] },
  { resource_uid: ['resource-2', 'resource-7'] },
  { last_seen_after: new Date(4_000) },
];

it('a search finds what looking at every title and name finds, in every order', async () => {
  for (const size of [150, 60, 60]) {
    await change(size);
    for (const [n, q] of wanted().entries()) {
      const filter = { ...OTHERS[n % OTHERS.length]!, q };
      const sort = findingOrder(['severity', '-last_seen_at', 'risk_score'][n % 3]);
      const all = await own()
        .collection(findings)
        .find(findingCondition(filter), { sort, fields: ['_id'] });
      const total = await countFindings(own(), filter);
      expect({ filter, total }).toEqual({ filter, total: all.length });
      // as where a text is in more rules and resources than are read, and as where more findings have it
      for (const limits of n % 2 ? [{ named: 1, read: 2_000 }] : [{ named: 10_000, read: 3 }])
        expect({ filter, limits, total: (await search(own(), filter, limits)).total }).toEqual({ filter, limits, total });
      const { keys } = await search(own(), filter);
      const page = pageOf(keys!, sort, { skip: 2, limit: 9 }).map(({ _id }) => _id);
      expect({ filter, page }).toEqual({ filter, page: all.slice(2, 11).map(({ _id }) => _id) });
      // few findings, many, and many of many rules and resources
      for (const limits of [undefined, { named: 10_000, read: 3 }, { named: 1, read: 3 }]) {
        const selected = await own()
          .collection(findings)
          .find(await selection(own(), filter, limits), { sort, fields: ['_id'] });
        expect({ filter, limits, selected }).toEqual({ filter, limits, selected: all });
      }
    }
  }
  expect(await countFindings(own('other'), { q: 'bucket' })).toBe(0);
});

it('texts are forgotten with the last finding that had them', async () => {
  const counters = new CounterChanges();
  for (const row of known.values()) counters.add(row, -1);
  await database.transaction((transaction) => counters.write(own(), transaction));
  expect(await own().collection(findingTexts).count({})).toBe(0);
});

it.each([2, 3, 4])('a text is found by a part of it from any place on, with parts %i letters apart', (step) => {
  const text = 'Bucket prod.Data-7 (EU) has K';
  const parts = partsOf([text], step);
  for (let from = 0; from < text.length - step; from++)
    for (const length of [step + 1, 10, 11, 20]) {
      const [, ...places] = partConditions(text.slice(from, from + length).toUpperCase(), step) as { parts: { $regex: string } }[][];
      const isFound = ({ parts: { $regex } }: { parts: { $regex: string } }) => parts.some((part) => part.startsWith($regex.slice(1)));
      expect(places.some((alternatives) => alternatives.every(isFound))).toBe(true);
    }
  expect(parts.length).toBeLessThanOrEqual(text.length / step + 1);
  expect(folded('Kſ.İß')).toBe('ks~~~');
  expect(partsOf(null, step)).toEqual(['*']);
  expect(partConditions('x'.repeat(step), step)).toBeNull();
});
