import { managedPolicies } from '../../../catalog/access/documents/managed.js';
import { documentTable } from '../../../catalog/access/documents/table.js';
import { privilegeOf } from '../../../catalog/access/privilege.js';
import { statementsOf } from '../../../catalog/cel/policy.js';

/** The actions of the policies that a provider writes and calls read only. */
function readOnlyIn(provider: string): [name: string, actions: string[]][] {
  const { managed } = documentTable(provider);
  const written = [...managedPolicies(provider)].flatMap(([name, text]) =>
    statementsOf(text).map(({ actions }): [string, string[]] => [name, actions as string[]]),
  );
  const shortened = Object.entries(managed.policies).flatMap(([name, statements]) =>
    statements.map(({ allow }): [string, string[]] => [name, allow]),
  );
  return [...written, ...shortened].filter(([name]) => /ReadOnly|ViewOnly/.test(name));
}

it.each(['aws', 'alicloud'])('what %s calls read only gives nothing away, and writes next to nothing', (provider) => {
  const { privileges } = documentTable(provider);
  const actions = readOnlyIn(provider).flatMap(([name, list]) => list.map((action) => [name, action] as const));
  const more = actions
    .map(([name, action]) => ({ name, action, privilege: privilegeOf(privileges, { include: [action], exclude: [] }) }))
    .filter(({ privilege }) => privilege !== 'read');
  expect(actions.length).toBeGreaterThan(3);
  expect(more.filter(({ privilege }) => privilege !== 'write')).toEqual([]);
  // actions that start, call or evaluate something, and change nothing that lasts
  expect(more.length / actions.length).toBeLessThan(0.02);
});
