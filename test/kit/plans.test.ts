import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_OVERRUNS, MAX_STEPS } from '../../catalog/tenant-expression.js';
import { PLANS } from '../../kit/base/auth-context.js';
import { ALLOWANCES, PLAN_ALLOWANCES } from '../../kit/base/quotas.js';

const page = readFileSync(join(__dirname, '../../docs/plans.md'), 'utf8');
const written = (value: number) => value.toLocaleString('en-US');

it('the page of the plans names every allowance, as it is', () => {
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|/gm)].map(([, name, ...values]) => [name, values]),
  );
  expect([...rows.keys()]).toEqual(ALLOWANCES);
  for (const name of ALLOWANCES) expect([name, rows.get(name)]).toEqual([name, PLANS.map((plan) => written(PLAN_ALLOWANCES[plan][name]))]);
});

it('the page of the plans says what one evaluation may take', () => {
  expect(page).toContain(`One evaluation may take ${written(MAX_STEPS)} steps`);
  expect(MAX_OVERRUNS).toBe(3);
});

it('a wider plan allows no less', () => {
  for (const name of ALLOWANCES) {
    const values = PLANS.map((plan) => PLAN_ALLOWANCES[plan][name]);
    expect([name, values]).toEqual([name, [...values].sort((a, b) => a - b)]);
  }
});
