import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentSchema } from '../../kit/base/config.js';

const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');

it('the README names every setting, with its description', () => {
  const rows = new Map([...readme.matchAll(/^\| `([A-Z_]+)` \| [^|]* \| (.*) \|$/gm)].map(([, name, description]) => [name, description]));
  expect([...rows.keys()].sort()).toEqual(Object.keys(environmentSchema.shape).sort());
  for (const [name, field] of Object.entries(environmentSchema.shape)) expect([name, rows.get(name)]).toEqual([name, field.description]);
});

it('the README names the licence of @apollo/gateway', () => {
  expect(readme).toMatch(/@apollo\/gateway[^.]*Elastic License 2\.0/);
});
