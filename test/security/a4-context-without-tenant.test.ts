import { memberships } from '../../accounts/records.js';
import { openEnginePort, type EnginePort } from './engine-port.js';

const LONG = 600_000;
let port: EnginePort;
beforeAll(async () => {
  port = await openEnginePort();
}, LONG);
afterAll(() => port?.close(), LONG);

describe('A4', () => {
  it('a context without a tenant is a 401, although the right key has signed it', async () => {
    const { tenant_id, ...rest } = port.auth;
    const wrong: unknown[] = [
      rest,
      null,
      [],
      {},
      [port.auth],
      'x',
      { ...rest, tenant_id: '' },
      { ...rest, tenant_id: null },
      { ...rest, tenant_id: [tenant_id] },
      { ...rest, tenant_id: { $ne: '' } },
      { ...rest, tenant_id: 7 },
      { ...port.auth, role: 'root' },
      { ...port.auth, permissions: ['everything'] },
      { ...port.auth, admin: true },
    ];
    for (const auth of wrong) {
      const { status, text } = await port.send(await port.signByHand(auth));
      expect({ auth, status }).toEqual({ auth, status: 401 });
      expect(text).not.toContain('total');
    }
    expect((await port.send(await port.signByHand(port.auth))).status).toBe(200);
  });

  it.each([undefined, null, '', [], ['t1'], {}, { $ne: '' }, 7])('the collection throws before any query for the tenant %j', (tenantId) => {
    expect(() => port.world.database.tenant(tenantId as never).collection(memberships)).toThrow(/a tenant id must be a non-empty string/);
    expect(() => port.world.database.tenant(port.auth.tenant_id).collection(memberships)).not.toThrow();
  });
});
