import { agoText, countText, daysAgo, isWebAddress, moneyText, percentText, truncateMiddle, wordOf } from '../../console/app/format.js';
import { hasWayBack, movesOf } from '../../console/app/findings/triage.js';
import { NODE } from '../../console/app/parts/node-size.js';
import { layOut, linesOf } from '../../console/app/paths/layout.js';

describe('what the console writes', () => {
  it('cuts the middle of what is too long, and never a letter in two', () => {
    expect(truncateMiddle('arn:aws:s3:::orders', 40)).toBe('arn:aws:s3:::orders');
    for (const text of ['arn:aws:s3:::a-very-long-name-of-a-bucket', '😀'.repeat(30)])
      for (let most = 3; most < 25; most++) {
        const cut = Array.from(truncateMiddle(text, most));
        expect(cut).toHaveLength(most);
        expect(cut.filter((letter) => letter === '…')).toHaveLength(1);
        expect(cut[0]).toBe(Array.from(text)[0]);
        expect(cut.at(-1)).toBe(Array.from(text).at(-1));
      }
  });

  it('says how long ago in the largest unit that fits', () => {
    const now = Date.parse('2030-01-15T12:00:00.000Z');
    const at = (time: string) => agoText(time, now);
    expect(at('2030-01-15T11:59:58.000Z')).toBe('just now');
    expect(at('2030-01-15T11:59:00.000Z')).toBe('1 minute ago');
    expect(at('2030-01-13T11:00:00.000Z')).toBe('2 days ago');
    expect(at('2030-01-15T14:30:00.000Z')).toBe('in 2 hours');
    expect(daysAgo(7, now)).toBe('2030-01-08T00:00:00.000Z');
  });

  it('says what it does not know, and does not say 0 for it', () => {
    expect([countText(null), countText(0), countText(12_345)]).toEqual(['–', '0', '12,345']);
    expect([percentText(null), percentText(0), percentText(0.004), percentText(0.5)]).toEqual(['–', '0 %', '<1 %', '50 %']);
    expect([moneyText(null, 'USD'), moneyText(14_954_710, 'USD')]).toEqual(['–', 'USD 15M']);
    expect(wordOf('IN_PROGRESS')).toBe('In progress');
  });

  it('links pages of the web alone', () => {
    expect(['https://example.com/a', 'http://example.com'].every(isWebAddress)).toBe(true);
    expect(
      ['javascript:alert(1)', 'data:text/html,x', ' java\nscript:alert(1)', '//host', 'file:///etc/passwd', ''].some(isWebAddress),
    ).toBe(false);
  });
});

describe('what the console offers', () => {
  it('moves that all of the chosen findings may take, and an undo only where there is a way back', () => {
    expect(movesOf([{ status: 'OPEN' }, { status: 'IN_PROGRESS' }])).toEqual(['RESOLVED', 'SUPPRESSED', 'FALSE_POSITIVE']);
    expect(movesOf([{ status: 'RESOLVED' }, { status: 'OPEN' }])).toEqual([]);
    expect(movesOf([])).toEqual([]);
    expect([hasWayBack('OPEN', 'IN_PROGRESS'), hasWayBack('IN_PROGRESS', 'RESOLVED')]).toEqual([true, false]);
  });
});

test('a path is drawn from left to right, and no two of its nodes touch', () => {
  for (const count of [1, 2, 7]) {
    const { nodes, arrows, width } = layOut(count);
    expect([nodes.length, arrows.length]).toEqual([count, count - 1]);
    for (const [index, node] of nodes.slice(1).entries()) expect(node.x).toBeGreaterThan(nodes[index]!.x + NODE.width);
    expect(width).toBeGreaterThan(nodes.at(-1)!.x + NODE.width);
  }
  expect(linesOf('Take over the identity of the workload')).toEqual(['Take over the', 'identity of the', 'workload']);
});
