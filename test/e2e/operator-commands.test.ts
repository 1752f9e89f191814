import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accept, cookieOf, GOOD_PASSWORD, tokenIn } from '../support/invitations.js';
import { verify } from '../support/sign-in.js';
import { runCommand, startProcess } from '../support/process.js';
import { bucket, ocsf } from '../support/reports.js';
import { totpCode } from '../support/totp.js';
import { Client } from '../support/world.js';

// each command is a process of its own
jest.setTimeout(600_000);

let data: string;
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'palisade-operator-'));
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

/** Commands over the data folder of this file, whatever store the tests share. */
const palisade = (...args: string[]) => runCommand([...args, '--data', data], { MONGODB_URI: '', PUBLIC_URL: 'https://palisade.example' });
const linkIn = (output: string) => /https:\S+/.exec(output)![0];

describe('an empty store', () => {
  it('gets its first administrator at a shell, beside a running server and without one', async () => {
    const created = await palisade('tenant', 'create', '--organization', 'Acme', '--name', 'Production', '--admin', 'Owner@acme.example');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(/^owner@acme\.example becomes org_admin of Production \((ten_[0-9a-f]+)\)/);
    const tenant_id = /ten_[0-9a-f]+/.exec(created.stdout)![0];

    const server = await startProcess(['--empty', '--data', data], { MONGODB_URI: '' });
    try {
      const anonymous = new Client(server.url, null, null);
      const page = await anonymous.call(linkIn(created.stdout).replace('https://palisade.example', ''));
      expect([page.status, page.text.includes('Join Production')]).toEqual([200, true]);

      const invited = await palisade('invite', '--tenant', tenant_id, '--email', 'admin@acme.example', '--role', 'tenant_admin');
      expect(invited).toMatchObject({ code: 0, stderr: '' });
      const answer = await accept(anonymous, { token: tokenIn(linkIn(invited.stdout)), password: GOOD_PASSWORD });
      expect(answer).toMatchObject({ status: 200, body: { role: 'tenant_admin', tenant: { tenant_id, name: 'Production' } } });
      const log = await new Client(server.url, cookieOf(answer), null).call<{ items: object[] }>('/api/v1/audit-logs?action=user.invite');
      expect(log.body.items).toMatchObject([
        { actor_email: 'system', target_email: 'admin@acme.example', role: 'tenant_admin' },
        { actor_email: 'system', target_email: 'owner@acme.example', role: 'org_admin' },
      ]);
    } finally {
      await server.end('SIGTERM');
    }
  });

  it('hears from the operator whose a domain is, for 90 days', async () => {
    const vouch = (...args: string[]) => palisade('domain', 'vouch', ...args);
    await palisade('tenant', 'create', '--organization', 'Vouched', '--name', 'One', '--admin', 'v@vouched.example');
    const said = await vouch('--domain', 'Vouched.example', '--organization', 'Vouched');
    expect(said).toMatchObject({ code: 0, stderr: '' });
    const [, domain, until] = /^(\S+) counts as verified for org_[0-9a-f]+ until (\S+)$/m.exec(said.stdout)!;
    expect(domain).toBe('vouched.example');
    expect(Math.round((Date.parse(until!) - Date.now()) / 86_400_000)).toBe(90);
    await palisade('tenant', 'create', '--organization', 'Rival', '--name', 'Two', '--admin', 'r@rival.example');
    for (const [args, code, reason] of [
      [['--domain', 'vouched.example', '--organization', 'Rival'], 1, 'Another organization holds this domain'],
      [['--domain', 'gmail.com', '--organization', 'Rival'], 1, 'mail provider'],
      [['--domain', 'rival.example', '--organization', 'Nobody'], 1, 'not found'],
      [['--domain', 'rival.example'], 2, 'name a --domain and an --organization'],
    ] as const) {
      const refused = await vouch(...args);
      expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(reason)]);
    }
  });

  it('is told which report cannot be read, and gets the others', async () => {
    const created = await palisade('tenant', 'create', '--organization', 'Reports', '--name', 'Reports', '--admin', 'r@reports.example');
    const tenant = /ten_[0-9a-f]+/.exec(created.stdout)![0];
    const [absent, report] = [join(data, 'absent.json'), join(data, 'report.json')];
    writeFileSync(report, JSON.stringify(ocsf([{ rule: 'rule_a', resource: bucket('a') }])));
    const { code, stdout, stderr } = await palisade('import', absent, data, report, '--tenant', tenant);
    expect([code, stdout]).toEqual([1, expect.stringContaining('report.json: COMPLETED')]);
    expect(stderr).toContain(`${absent}: ENOENT`);
    expect(stderr).toContain(`${data}: EISDIR`);
  });

  it('is told what is wrong, and changed by nothing that is', async () => {
    const wrong = async (...args: string[]) => {
      const { code, stdout, stderr } = await palisade(...args);
      expect(stdout).toBe('');
      return [code, stderr.split('\n', 1)[0]];
    };
    expect(await wrong('tenant', 'create', '--name', 'X')).toEqual([2, 'palisade tenant: name an --organization, a --name and an --admin']);
    const nobody = ['--organization', 'X', '--name', 'X', '--admin', 'nobody'];
    expect(await wrong('tenant', 'create', ...nobody)).toEqual([1, 'palisade tenant: The request breaks a rule']);
    const nowhere = ['--tenant', 'nowhere', '--email', 'a@b.example'];
    expect(await wrong('invite', ...nowhere, '--role', 'viewer')).toEqual([1, 'palisade invite: Tenant not found']);
    expect(await wrong('invite', ...nowhere, '--role', 'boss')).toEqual([
      2,
      'palisade invite: --role is one of org_admin, tenant_admin, analyst, viewer',
    ]);
    expect((await palisade('invite', '--help')).stdout).toMatch(/^palisade invite --tenant T/);
  });
});

describe('keys and accounts', () => {
  it('rotates a signing key: the next one waits for a minute, and nobody is signed out', async () => {
    expect(await palisade('keys', 'rotate', '--purpose', 'nothing')).toMatchObject({ code: 2 });
    const rotated = await palisade('keys', 'rotate', '--purpose', 'session');
    expect(rotated).toMatchObject({ code: 0, stdout: 'session.2 signs in a minute\n' });
    const { stdout } = await palisade('keys', 'list');
    expect(stdout).toMatch(/^session\.1 +active/m);
    expect(stdout).toMatch(/^session\.2 +pending .*until/m);
  });

  it("makes one of the operator's staff, who sets up a second factor at the first sign-in, and may lose it", async () => {
    const made = await palisade('staff', 'add', '--email', 'Sam@operator.example');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const password = /password is (\S+)/.exec(made.stdout)![1]!;
    expect(await palisade('staff', 'add', '--email', 'sam@operator.example')).toMatchObject({ code: 1 });
    const server = await startProcess(['--empty', '--data', data], { MONGODB_URI: '' });
    try {
      const anonymous = new Client(server.url, null, null);
      const body = { email: 'sam@operator.example', password };
      const first = await anonymous.call<{ status: string; challenge_id: string; totp: { secret: string } }>('/api/auth/login', { body });
      expect(first.body.status).toBe('mfa_enrollment_required');
      const done = await verify(anonymous, first.body.challenge_id, totpCode(first.body.totp.secret));
      expect(done.body).toMatchObject({ status: 'ok', role: 'platform_admin' });
      const staff = new Client(server.url, cookieOf(done), null);
      expect((await staff.call('/api/v1/support-access')).status).toBe(200);

      // in a customer's tenant staff acts by approval, and by no membership
      const customer = await palisade(
        'tenant',
        'create',
        '--organization',
        'Globex',
        '--name',
        'Globex',
        '--admin',
        'owner@globex.example',
      );
      const tenant_id = /ten_[0-9a-f]+/.exec(customer.stdout)![0];
      const asked = await palisade('invite', '--tenant', tenant_id, '--email', 'sam@operator.example', '--role', 'viewer');
      expect((await accept(staff, { token: tokenIn(linkIn(asked.stdout)) })).status).toBe(403);

      expect(await palisade('mfa', 'reset', '--email', 'sam@operator.example')).toMatchObject({ code: 0, stderr: '' });
      expect((await staff.call('/api/v1/support-access')).status).toBe(401);
      expect((await anonymous.call('/api/auth/login', { body })).body['status']).toBe('mfa_enrollment_required');
    } finally {
      await server.end('SIGTERM');
    }
  });
});
