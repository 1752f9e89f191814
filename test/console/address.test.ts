import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hrefOf, readAddress, toggled, withValues, writeAddress, type Address } from '../../console/app/address.js';
import { bulkFilterOf, chipsOf, FILTERS, filtersIn, filterWord, listQueryIn } from '../../console/app/findings/filters.js';
import { readKey } from '../../console/app/findings/finding.js';

/** What a resource's identifier may hold, and what stands in the way in an address. */
const HOSTILE = ['arn:aws:s3:::a/b', 'a?b#c&d=e', '100%', '%41', 'ä ö,ü', '//host', 'a+b', '<img src=x>', '\'"', '..'];

describe('an address of the console', () => {
  it.each(HOSTILE)('keeps %j as a segment, as a value and as one of several', (text) => {
    const address: Address = {
      path: ['assets', text],
      query: new Map([
        ['q', [text]],
        ['region', ['eu-west-1', text]],
      ]),
    };
    expect(readAddress(writeAddress(address))).toEqual(address);
    // as a browser hands it back
    expect(readAddress(new URL(writeAddress(address), 'http://127.0.0.1/').hash)).toEqual(address);
  });

  it('is the same text for the same place, and empty names are left out', () => {
    expect(hrefOf(['findings'], { severity: ['critical', 'high'], q: null, status: [] })).toBe(
      '#/findings?severity=critical&severity=high',
    );
    expect(hrefOf([])).toBe('#/');
    expect(readAddress('')).toEqual({ path: [], query: new Map() });
    expect(readAddress('#/')).toEqual({ path: [], query: new Map() });
  });

  it('is read whatever somebody has typed', () => {
    expect(readAddress('#/assets/%E0%A4%A').path).toEqual(['assets', '%E0%A4%A']);
    expect(readAddress('#findings?&&=&a').path).toEqual(['findings']);
  });

  it('has values put in, taken out and set anew, and the rest of it stays', () => {
    const query = new Map([
      ['severity', ['high']],
      ['open', ['check/1']],
    ]);
    const more = toggled(query, 'severity', 'low');
    expect([...more]).toEqual([
      ['open', ['check/1']],
      ['severity', ['high', 'low']],
    ]);
    expect([...toggled(toggled(more, 'severity', 'low'), 'severity', 'high')]).toEqual([['open', ['check/1']]]);
    expect([...withValues(query, { open: null, q: 'x' })]).toEqual([
      ['severity', ['high']],
      ['q', ['x']],
    ]);
  });

  it('names a finding by engine and id, and nothing else', () => {
    expect(readKey('check/abc')).toEqual({ engine: 'check', finding_id: 'abc' });
    for (const key of ['', 'check', 'check/', '/abc', 'check/abc/def']) expect(readKey(key)).toBeNull();
  });
});

describe('filters of findings', () => {
  const query = new Map([
    ['severity', ['critical', 'high']],
    ['not_region', ['global']],
    ['sort', ['-risk_score']],
    ['open', ['check/1']],
    ['made_up', ['x']],
  ]);

  it('go to the API under its own names, and nothing that it would refuse', () => {
    expect([...filtersIn(query).keys()]).toEqual(['severity', 'not_region']);
    expect([...listQueryIn(query).keys()]).toEqual(['severity', 'not_region', 'sort']);
    const { paths, components } = JSON.parse(readFileSync(join(__dirname, '../../schema/openapi.json'), 'utf8')) as {
      paths: Record<string, { get: { parameters: { name?: string; $ref?: string }[] } }>;
      components: { parameters: Record<string, { name: string }> };
    };
    const known = paths['/api/v1/findings']!.get.parameters.map(
      ({ name, $ref }) => name ?? components.parameters[$ref!.split('/').at(-1)!]!.name,
    );
    // every filter that the console has a word for, and its negation
    const own = Object.keys(FILTERS).flatMap((name) => [name, `not_${name}`]);
    expect(own.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('are taken away one value at a time', () => {
    const [critical] = chipsOf(query);
    expect([critical!.name, critical!.value, critical!.without.get('severity')]).toEqual(['severity', 'critical', ['high']]);
    expect(critical!.without.get('open')).toEqual(['check/1']);
    expect([filterWord('not_region'), filterWord('q')]).toEqual(['Not region', 'Text']);
  });

  it('choose findings for bulk triage only where bulk triage knows all of them', () => {
    expect(
      bulkFilterOf(
        new Map([
          ['severity', ['high']],
          ['q', ['bucket']],
          ['open', ['check/1']],
        ]),
      ),
    ).toEqual({ severity: ['high'], q: 'bucket' });
    expect(bulkFilterOf(query)).toBeNull();
    expect(bulkFilterOf(new Map([['overdue', ['true']]]))).toBeNull();
  });
});
