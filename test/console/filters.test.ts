import { readAddress } from '../../console/app/address.js';
import { bulkFilterOf } from '../../console/app/findings/filters.js';

const filterOf = (query: string) => bulkFilterOf(readAddress(`#/findings?${query}`).query);

describe('the filters of the console, as bulk triage takes them', () => {
  it('are lists, texts, numbers and flags, without what is no filter', () => {
    expect(
      filterOf('severity=high&severity=low&q=10&known_exploited=true&cvss_min=7.5&epss_min=0.1&sort=-risk_score&open=check/1'),
    ).toEqual({ severity: ['high', 'low'], q: '10', known_exploited: true, cvss_min: 7.5, epss_min: 0.1 });
    expect(filterOf('known_exploited=false')).toEqual({ known_exploited: false });
    expect(filterOf('')).toEqual({});
  });

  it.each(['overdue=true', 'not_region=eu-west-1', 'severity=high&framework=cis'])('are none with %s, which it does not know', (query) => {
    expect(filterOf(query)).toBeNull();
  });
});
