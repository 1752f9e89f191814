import { auditLog } from '../../kit/audit/audit.js';
import { entriesOf } from '../../kit/audit/entries.js';
import { FindingService } from '../../kit/findings/service.js';
import { triageRules } from '../../kit/findings/triage-rules/records.js';
import type { Database } from '../../kit/store/database.js';
import type { Role } from '../../schema/permissions.js';
import { createSuppression } from '../../subgraphs/findings/suppressions/service.js';
import { listTriageRules, removeTriageRule, setTriageRule } from '../../subgraphs/findings/triage-rules/service.js';
import { factsOf, findingsEstate, openFindings } from '../support/findings-estate.js';

const DAY = 86_400_000;

let database: Database;
beforeAll(async () => {
  database = await openFindings();
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

/** A tenant with an administrator who sets rules, and an analyst to whom findings go. */
function estate() {
  const members = new Map<string, Role>([
    ['admin', 'tenant_admin'],
    ['ana@test.example', 'analyst'],
    ['vic@test.example', 'viewer'],
  ]);
  const own = findingsEstate(database, members);
  const admin = own.contextOf('tenant_admin', 'findings', { user_id: 'admin' });
  const set = (id: string, input: Partial<Parameters<typeof setTriageRule>[2]>) => setTriageRule(admin, id, { name: id, ...input });
  const rows = async (engine = 'check') =>
    Object.fromEntries((await own.rowsOf(engine).find({})).map((row) => [row.resource_uid.replace('arn:', ''), row]));
  const assigned = async () => {
    const entries = (await database.tenant(own.tenant_id).collection(auditLog).find({ action: 'finding.assign' })).flatMap(entriesOf);
    return entries.map(({ actor_email, detail }) => ({ actor_email, detail }));
  };
  /** Writes a rule's assignee past the look-up of members, which the identity engine answers. */
  const assign = (id: string, assignee: string) =>
    database.tenant(own.tenant_id).collection(triageRules).update({ id }, { $set: { assignee } });
  return { ...own, members, admin, set, rows, assigned, assign };
}

it('assigns, dates and labels what opens and what comes back, as system, and leaves alone what people have set', async () => {
  const { clock, contextOf, report, set, rows, assigned, assign } = estate();
  await set('a', { filter: { severity: ['high'] }, due_in_days: 3, labels: ['urgent'] });
  await set('b', { filter: { resource_uid: ['arn:web-*'] }, due_in_days: 9, labels: ['web', 'urgent'] });
  await set('off', { labels: ['off'], enabled: false });
  await assign('b', 'ana@test.example');
  const seen = [
    { resource_uid: 'arn:web-1', severity: 'high' },
    { resource_uid: 'arn:web-2', severity: 'low' },
    { resource_uid: 'arn:db', severity: 'medium' },
  ] as const;
  const opened = clock.now();
  const [id] = await report('check', 'one', seen);
  const after = (days: number, from = opened) => new Date(from.getTime() + days * DAY);
  expect(await rows()).toMatchObject({
    'web-1': { assignee: 'ana@test.example', due_at: after(3), due_set_by: 'triage-rule:a', labels: ['urgent', 'web'], version: 1 },
    'web-2': { assignee: 'ana@test.example', due_at: after(9), due_set_by: 'triage-rule:b', labels: ['web', 'urgent'], version: 1 },
    db: { due_at: after(90), version: 1 },
  });
  const told = await assigned();
  expect(told.map(({ actor_email }) => actor_email)).toEqual(['system', 'system']);
  expect(told.map(({ detail }) => detail)).toContainEqual(
    expect.objectContaining({
      assignee: 'ana@test.example',
      labels: ['urgent', 'web'],
      triage_rules: ['a', 'b'],
      scan_run_id: 'one',
    }),
  );

  // seen again, nothing happens
  await report('check', 'two', seen);
  expect(await assigned()).toHaveLength(2);

  // what a person has set stays, what a rule has set begins anew
  const service = new FindingService(factsOf('check'), contextOf('analyst', 'check'));
  await service.setStatus(id!, 'RESOLVED', null, null);
  await report('check', 'three', [seen[2]]);
  clock.advance(5 * DAY);
  const back = clock.now();
  await report('check', 'four', seen);
  expect(await rows()).toMatchObject({ 'web-1': { status: 'OPEN', due_at: after(3, back) }, 'web-2': { due_at: after(9, back) } });
});

it('does nothing in the name of who is gone or may do it no more, and says so', async () => {
  const { members, admin, report, set, rows, assign } = estate();
  await set('a', { labels: ['all'] });
  await set('b', { due_in_days: 1, labels: ['b'] });
  await assign('b', 'vic@test.example');
  await report('encryption', 'one', [{ resource_uid: 'arn:a', severity: 'low' }]);
  // a viewer may not read the engine: labelled and dated, but not assigned
  const { a } = await rows('encryption');
  expect([a!.labels, a!.assignee]).toEqual([['all', 'b'], undefined]);
  expect((await listTriageRules(admin, {})).items.map(({ paused_because }) => paused_because)).toEqual([null, null]);
  for (const role of ['analyst', null] as const) {
    if (role) members.set('admin', role);
    else members.delete('admin');
    await report('check', `run-${role}`, [{ resource_uid: `arn:${role}`, severity: 'low' }]);
    expect((await rows())[`${role}`]!.labels).toBeUndefined();
    for (const { paused_because } of (await listTriageRules(admin, {})).items)
      expect(paused_because).toMatch(role ? /lacks the permission tenants:write/ : /no longer a member/);
  }
});

it('suppressed findings are not triaged, a dry run stores nothing, and what a deleted rule did stays', async () => {
  const { admin, report, set, rows } = estate();
  await report('check', 'one', [
    { resource_uid: 'arn:a', severity: 'high' },
    { resource_uid: 'arn:b', severity: 'low' },
  ]);
  const dry = await set('a', { filter: { severity: ['high'] }, labels: ['x'], dry_run: true });
  expect(dry.matches).toMatchObject({ total: 1, findings: [{ resource_uid: 'arn:a', engine: 'check' }], restrictedEngines: [] });
  const patterned = await set('a', { filter: { resource_uid: ['arn:?'] }, labels: ['x'], dry_run: true });
  expect(patterned.matches!.total).toBe(2);
  expect((await listTriageRules(admin, {})).total).toBe(0);
  await set('a', { labels: ['x'] });
  await createSuppression(admin, { scope: { resource_uid: ['arn:quiet'] }, reason: 'Known' });
  await report('check', 'two', [
    { resource_uid: 'arn:quiet', severity: 'high' },
    { resource_uid: 'arn:new', severity: 'high' },
  ]);
  await removeTriageRule(admin, 'a');
  await expect(removeTriageRule(admin, 'a')).rejects.toMatchObject({ extensions: { code: 'NOT_FOUND' } });
  const { quiet, new: fresh, a } = await rows();
  expect([quiet!.status, quiet!.labels, fresh!.labels, a!.labels]).toEqual(['SUPPRESSED', undefined, ['x'], undefined]);
});

it.each([
  ['nothing to do', {}],
  ['an engine that there is not', { labels: ['x'], filter: { engine: ['nowhere'] } }],
  ['days below zero', { due_in_days: -1 }],
  ['a filter by something else', { labels: ['x'], filter: { colour: ['red'] } }],
  ['an empty label', { labels: [' '] }],
])('refuses %s', async (_what, input) => {
  await expect(estate().set('a', input)).rejects.toMatchObject({ extensions: { code: 'VALIDATION_ERROR' } });
});
