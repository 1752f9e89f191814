import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from '../../kit/audit/entry.js';

it('the page on webhooks names every kind of event, and no other', () => {
  const page = readFileSync(join(__dirname, '../../docs/webhooks.md'), 'utf8');
  const rows = page.split('## Messages')[0]!.matchAll(/^\| (`[a-z_]+\.[a-z_]+`.*?) \| /gm);
  const named = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([a-z_.]+)`/g)].map(([, kind]) => kind!));
  expect(named.sort()).toEqual([...AUDIT_ACTIONS].sort());
});
