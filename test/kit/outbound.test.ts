import type { LookupAddress } from 'node:dns';
import { fetch } from 'undici';
import { createOutbound, ForbiddenTarget, type Outbound, type Resolve } from '../../kit/outbound/outbound.js';
import { openReceiver, type Receiver } from '../support/receiver.js';

let receiver: Receiver;
const opened: Outbound[] = [];
beforeAll(async () => {
  receiver = await openReceiver();
});
afterEach(() => Promise.all(opened.splice(0).map((outbound) => outbound.close())));
afterAll(() => receiver.close());

/** A name server that gives the answers of `answers` one after the other, the last one for ever. */
function names(answers: readonly string[][]): Resolve {
  let asked = 0;
  return (_hostname, _options, callback) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)]!;
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}
function outboundOf(allow: string[] = [], answers: string[][] = [['127.0.0.1']]): Outbound {
  const outbound = createOutbound(allow, { lookup: names(answers) });
  opened.push(outbound);
  return outbound;
}

/** Addresses that mean this machine, its network, its cloud, or nobody; in the forms that a URL may give them. */
const FORBIDDEN = {
  loopback: ['127.0.0.1', '127.1', '127.0.0.1.', '127.255.255.254', '[::1]', '[0:0:0:0:0:0:0:1]'],
  'decimal, octal and hexadecimal forms of loopback': [
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
    '0x7f.0x0.0x0.0x1',
  ],
  'this host': ['0.0.0.0', '0', '0x0', '[::]', '0.1.2.3'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.1.1', '[fc00::1]', '[fd12:3456::1]'],
  shared: ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  'link-local': ['169.254.1.1', '[fe80::1]', '[febf::1]'],
  'the metadata services of clouds': [
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '192.0.0.192',
    '168.63.129.16',
  ],
  multicast: ['224.0.0.1', '239.255.255.250', '[ff02::1]'],
  'reserved or for documents': [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[2001:db8::1]',
    '[3fff::1]',
    '[100::1]',
  ],
  'IPv4 within IPv6': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:169.254.169.254]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::ffff:0:127.0.0.1]',
  ],
  'IPv4 behind a translator or tunnel': [
    '[64:ff9b::7f00:1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::a00:1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::1]',
    '[2001:0:7f00:1::1]',
    '[2a01:4f8::5efe:7f00:1]',
    '[2a01:4f8::200:5efe:a00:1]',
  ],
  'unassigned IPv6': ['[4000::1]', '[1::1]', '[fec0::1]', '[5f00::1]', '[8000::1]'],
};
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '168.63.129.17',
  '[2606:4700::1111]',
  '[2a01:4f8::1]',
  '[::ffff:8.8.8.8]',
];

describe('an address', () => {
  it.each(Object.entries(FORBIDDEN))('that is %s is refused before anything is sent', async (_kind, hosts) => {
    const outbound = outboundOf();
    for (const host of hosts)
      for (const url of [`https://${host}/`, `https://${host}:8443/hook?x=1`]) {
        expect(() => outbound.assertAllowed(url)).toThrow(ForbiddenTarget);
        await expect(outbound.assertReachable(url)).rejects.toThrow(ForbiddenTarget);
        await expect(outbound.fetch(url)).rejects.toThrow(ForbiddenTarget);
      }
  });

  it.each(Object.entries(FORBIDDEN))('that is %s is refused when a name resolves to it, among public ones too', async (_kind, hosts) => {
    for (const host of hosts) {
      const address = new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, '');
      for (const answer of [[address], ['1.1.1.1', address], [address, '1.1.1.1']]) {
        const outbound = outboundOf([], [answer]);
        await expect(outbound.assertReachable('https://hooks.example.com/')).rejects.toThrow(ForbiddenTarget);
        await expect(outbound.fetch('https://hooks.example.com/')).rejects.toThrow('not allowed');
      }
    }
  });

  it('that is public passes', async () => {
    for (const host of PUBLIC) {
      const outbound = outboundOf([], [[new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, '')]]);
      outbound.assertAllowed(`https://${host}/`);
      await outbound.assertReachable(`https://${host}/`);
      await outbound.assertReachable('https://hooks.example.com/');
    }
  });

  it.each([
    'http://1.1.1.1/',
    'http://hooks.example.com/',
    'ftp://1.1.1.1/',
    'file:///etc/passwd',
    'gopher://1.1.1.1/',
    'https://u:p@1.1.1.1/',
    'https://u@hooks.example.com/',
    'not a url',
    '',
  ])('%p is refused for its form', (url) => expect(() => outboundOf().assertAllowed(url)).toThrow(ForbiddenTarget));

  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
    'x.localdomain',
    'metadata',
    'vm',
    'router.lan',
    'nas.home.arpa',
  ])('%p is refused by its name', (host) => expect(() => outboundOf().assertAllowed(`https://${host}/`)).toThrow(ForbiddenTarget));
});

describe('a connection', () => {
  const port = () => new URL(receiver.url).port;

  it('reaches nothing by a name that was public when it was saved and is private now', async () => {
    const outbound = outboundOf(['127.0.0.2/32'], [['1.1.1.1'], ['127.0.0.1']]);
    await outbound.assertReachable(`https://hooks.example.com:${port()}/`);
    const before = receiver.connections();
    await expect(outbound.fetch(`https://hooks.example.com:${port()}/`)).rejects.toThrow(ForbiddenTarget);
    expect(receiver.connections()).toBe(before);
  });

  it('of another library through the dispatcher is checked as well, names and literals', async () => {
    const before = receiver.connections();
    for (const host of ['127.0.0.1', 'hooks.example.com'])
      await expect(fetch(`http://${host}:${port()}/`, { dispatcher: outboundOf().dispatcher })).rejects.toMatchObject({
        cause: expect.any(ForbiddenTarget) as object,
      });
    expect(receiver.connections()).toBe(before);
    const { status } = await fetch(`http://hooks.example.com:${port()}/`, { dispatcher: outboundOf(['127.0.0.0/8']).dispatcher });
    expect(status).toBe(204);
  });

  it('reaches a listed network, over plain http too, and no other', async () => {
    const outbound = outboundOf(['127.0.0.1/32']);
    expect((await outbound.fetch(`http://127.0.0.1:${port()}/`)).status).toBe(204);
    expect((await outbound.fetch(`http://hooks.example.com:${port()}/`)).status).toBe(204);
    expect((await outbound.fetch(`http://localhost:${port()}/`)).status).toBe(204);
    await expect(outbound.fetch(`http://127.0.0.2:${port()}/`)).rejects.toThrow(ForbiddenTarget);
    await expect(outboundOf(['127.0.0.1/32'], [['127.0.0.2']]).fetch(`http://hooks.example.com:${port()}/`)).rejects.toThrow(
      ForbiddenTarget,
    );
  });

  it('over plain http goes to listed networks only, even where some are listed', async () => {
    const outbound = outboundOf(['127.0.0.1/32'], [['1.1.1.1']]);
    expect(() => outbound.assertAllowed('http://1.1.1.1/')).toThrow('https');
    await expect(outbound.assertReachable('http://hooks.example.com/')).rejects.toThrow('https');
    await expect(outbound.fetch('http://hooks.example.com/')).rejects.toThrow('https');
    await outbound.assertReachable('https://hooks.example.com/');
  });

  it('does not follow redirects', async () => {
    const target = await openReceiver();
    const redirecting = await openReceiver(() => ({ status: 302, headers: { location: target.url } }));
    const { status } = await outboundOf(['127.0.0.0/8']).fetch(redirecting.url, { redirect: 'follow' });
    expect({ status, reached: target.connections() }).toEqual({ status: 302, reached: 0 });
    await Promise.all([target.close(), redirecting.close()]);
  });

  it('ends after its time, body included', async () => {
    const silent = await openReceiver(() => null);
    await expect(outboundOf(['127.0.0.0/8']).fetch(silent.url, { timeoutMs: 200 })).rejects.toMatchObject({ name: 'TimeoutError' });
    await silent.close();
  });
});

it('a list of networks that holds no CIDR is refused', () => {
  expect(() => createOutbound(['10.0.0.1'])).toThrow();
});

it('a name that does not resolve may be saved', async () => {
  const lookup: Resolve = (_hostname, _options, callback) => callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
  const outbound = createOutbound([], { lookup });
  opened.push(outbound);
  await outbound.assertReachable('https://hooks.example.com/');
  await expect(outbound.fetch('https://hooks.example.com/')).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } });
});
