import { connect } from 'node:net';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';

let world: OwnWorld;
beforeAll(async () => {
  world = await openOwnWorld({ env: { LOG_LEVEL: 'trace' } });
});
afterAll(() => world.close());

const HOSTILE = [
  'a\r\n{"level":50,"msg":"forged"}',
  '\u001b[2K\u001b[1A',
  'line\u2028separator',
  '{"level":50}',
  '\u0000',
  'x'.repeat(20_000),
];

/** A request as bytes, because no client library sends these. */
const send = (url: string, text: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });

describe('N7: text that looks like a log line', () => {
  it('is never a line of its own, whichever field carries it', async () => {
    const client = await (await world.tenant()).as('tenant_admin');
    expect((await client.call('/api/v1/users/me')).status).toBe(200);
    const [server] = world.servers;
    for (const text of HOSTILE) {
      await client.call(`/api/v1/check/findings?q=${encodeURIComponent(text)}`);
      await client.call(`/api/v1/views/finding/check/${encodeURIComponent(text)}`);
      await client.call('/api/v1/scans/imports', { raw: text, headers: { 'content-type': 'application/octet-stream' } });
      await client.call('/api/auth/login', { body: { email: text.slice(0, 200), password: text } });
      await client.graphql(`{ asset(resource_uid: ${JSON.stringify(text)}) { region } }`);
      await send(server!.url, `GET /api/v1/${text} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${text}\r\nX-Request-Id: ${text}\r\n\r\n`);
    }
    const lines = server!
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') || /forged|level/.test(line));
    for (const line of lines) {
      expect(() => JSON.parse(line) as unknown).not.toThrow();
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), time: expect.any(String) });
      expect(/\p{Cc}|\u2028/u.test(line)).toBe(false);
    }
    expect(lines.filter((line) => (JSON.parse(line) as { msg?: string }).msg === 'forged')).toEqual([]);
  });
});
