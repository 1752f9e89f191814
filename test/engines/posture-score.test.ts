import { SEVERITIES, type Severity } from '../../schema/model.js';
import { postureScore } from '../../subgraphs/findings/dashboard/posture-score.js';
import { pick, random } from '../contract/list-model.js';

type Open = Record<Severity, number>;
const NONE: Open = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
const next = random(11);
/** Estates of every size, with many findings and with few. */
const estates = Array.from({ length: 2_000 }, () => {
  const most = 10 ** Math.floor(7 * next());
  const open = Object.fromEntries(SEVERITIES.map((severity) => [severity, next() < 0.3 ? 0 : Math.floor(most * next())])) as Open;
  return { open, resources: Math.floor(10 ** Math.floor(7 * next()) * next()) };
});

describe('the posture score', () => {
  it('is a whole number from 0 to 100', () => {
    for (const { open, resources } of estates) {
      const score = postureScore(open, resources);
      expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
    }
  });

  it('never rises with another finding, nor as one becomes worse, and never falls with another resource', () => {
    for (const { open, resources } of estates) {
      const score = postureScore(open, resources);
      const severity = pick(next, SEVERITIES);
      const more = 1 + Math.floor(100 * next());
      expect(postureScore({ ...open, [severity]: open[severity] + more }, resources)).toBeLessThanOrEqual(score);
      expect(postureScore(open, resources + more)).toBeGreaterThanOrEqual(score);
      const worse = SEVERITIES[SEVERITIES.indexOf(severity) - 1];
      if (!worse || open[severity] === 0) continue;
      expect(postureScore({ ...open, [severity]: open[severity] - 1, [worse]: open[worse] + 1 }, resources)).toBeLessThanOrEqual(score);
    }
  });

  it('moves with the share of resources that have findings', () => {
    for (let resources = 1; resources < 10_000_000; resources *= 10)
      expect(postureScore({ ...NONE, critical: resources }, resources)).toBe(50);
  });

  it.each([
    [{ ...NONE }, 0, 0],
    [{ ...NONE, critical: 1 }, 0, 0],
    [{ ...NONE }, 1, 100],
    [{ ...NONE, info: 1_000 }, 1, 100],
    [{ ...NONE, low: 1 }, 1_000_000, 99],
    [{ ...NONE, critical: 10 }, 1, 9],
    [{ ...NONE, high: 1 }, 4, 88],
  ])('of %j open on %d resources is %d', (open, resources, score) => {
    expect(postureScore(open, resources)).toBe(score);
  });
});
