import { documentTable } from '../../../catalog/access/documents/table.js';
import { privilegeOf } from '../../../catalog/access/privilege.js';

it.each(['aws', 'alicloud'])('what %s calls read only gives no more than to read', (provider) => {
  const { managed, privileges } = documentTable(provider);
  const readOnly = Object.entries(managed.policies).filter(([name]) => /ReadOnly|ViewOnly/.test(name));
  expect(readOnly.length).toBeGreaterThan(3);
  for (const [name, statements] of readOnly)
    for (const { allow } of statements) expect([name, privilegeOf(privileges, { include: allow, exclude: [] })]).toEqual([name, 'read']);
});
