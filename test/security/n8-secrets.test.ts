import { bucket, ocsf } from '../support/reports.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
let client: Client;
let path: string;
beforeAll(async () => {
  world = await openWorld();
  client = await (await world.tenant()).as('tenant_admin');
  await client.import(ocsf([{ rule: 'a', resource: bucket('a') }]));
  const { body } = await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings');
  path = `/api/v1/views/finding/check/${body.items[0]!.finding_id}/status`;
});
afterAll(() => world.close());

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const move = (note: string) => client.call(path, { method: 'PATCH', body: { status: 'IN_PROGRESS', note } });
const rule = (parameters: object) =>
  client.call('/api/v1/rules/custom', {
    body: { title: 'A rule', severity: 'low', resource_types: ['aws_s3_bucket'], expression: 'has(r.bucket)', ...parameters },
  });
const violations = ({ status, body }: { status: number; body: Record<string, unknown> }) => ({
  status,
  paths: ((body['detail'] ?? []) as { path: string }[]).map((violation) => violation.path),
});

describe('N8: secret material in a body', () => {
  it.each([
    ['a PEM', '-----BEGIN RSA PRIVATE KEY-----\nMIIEow'],
    ['an access key', 'it was AKIAQWERTYUIOPASDFGH all along'],
    ['a token', `Bearer ${JWT}`],
    ['a key in JSON', '{"database":{"password":"hunter2hunter2"}}'],
    ['a key in JSON in JSON', JSON.stringify({ raw: JSON.stringify([{ api_key: 'hunter2hunter2' }]) })],
    ['a key and its value', '[{"Key":"DB_PASSWORD","Value":"hunter2hunter2"}]'],
    ['a key with letters of no width', '{"pass\u200dword":"hunter2hunter2"}'],
  ])('%s is a 422 that names the path and never the value', async (_name, note) => {
    const answer = await move(note);
    expect(answer.status).toBe(422);
    expect(violations(answer).paths.every((at) => at.startsWith('note'))).toBe(true);
    expect(answer.text).not.toMatch(/hunter2|AKIAQ|MIIEow|eyJ/);
    const over = await client.graphql(
      'mutation($note: String) { set_finding_status(engine: "check", id: "x", input: { status: RESOLVED, note: $note }) { status } }',
      { note },
    );
    expect(over.errors![0]!.extensions.code).toBe('VALIDATION_ERROR');
  });

  it('is found at any depth of a member that takes any JSON', async () => {
    const answer = await rule({ description: 'fine', remediation: JSON.stringify({ a: [{ b: [{ client_secret: 'hunter2hunter2' }] }] }) });
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain('hunter2');
  });

  it.each([
    'password_policy is weak, kms_key_id is not set',
    'secret_arn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf',
    '{"secrets_manager_rotation_enabled":true,"password_policy":{"minimum_password_length":14}}',
    'Use bearer authentication for this endpoint',
  ])('its innocent look-alikes pass: %s', async (note) => {
    const answer = await move(note);
    expect(answer.status).toBe(200);
    expect((await client.call(path, { method: 'PATCH', body: { status: 'OPEN' } })).status).toBe(200);
  });
});
