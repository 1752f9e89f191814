import { createWorld, PASSWORD, tokenOf, type World } from '../sign-in/world.js';

let world: World;
let token: string;
beforeAll(async () => {
  world = await createWorld();
  await world.member('ada@example.com', 'analyst');
  token = tokenOf(await world.signIn('ada@example.com'));
});
afterAll(() => world.close());

const login = (headers: Record<string, string>, payload = JSON.stringify({ email: 'ada@example.com', password: PASSWORD }), to = world) =>
  to.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload,
    headers: { host: 'palisade.example.com', 'content-type': 'application/json', ...headers },
  });
const call = (method: 'GET' | 'POST', headers: Record<string, string>) =>
  world.app.inject({ method, url: '/whoami', headers: { host: 'palisade.example.com', cookie: `access_token=${token}`, ...headers } });

describe('B1: what another site makes the browser send', () => {
  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/jsonp',
    'text/plain; application/json',
  ])('%s is 415', async (type) => {
    const response = await login({ 'content-type': type });
    expect(response.statusCode).toBe(415);
    expect(response.json().error_code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  test('JSON with a charset is JSON', async () => {
    expect((await login({ 'content-type': 'Application/JSON; charset=utf-8' })).statusCode).toBe(200);
  });

  test.each([
    'https://evil.example',
    'http://other.example.com',
    'http://palisade.example.com:8080',
    'https://palisade.example.com',
    'null',
    'http://palisade.example.com.evil.example',
  ])('Origin %s is 403', async (origin) => {
    expect((await login({ origin })).statusCode).toBe(403);
    expect((await call('POST', { origin })).statusCode).toBe(403);
  });

  test('the own Origin passes, with any spelling of the host', async () => {
    expect((await login({ origin: 'http://palisade.example.com' })).statusCode).toBe(200);
    expect((await call('POST', { origin: 'http://Palisade.example.com' })).statusCode).toBe(200);
  });

  test.each(['cross-site', 'same-site', 'anything'])('Sec-Fetch-Site %s is 403', async (site) => {
    expect((await login({ 'sec-fetch-site': site })).statusCode).toBe(403);
    expect((await call('POST', { 'sec-fetch-site': site })).statusCode).toBe(403);
  });

  test.each(['same-origin', 'none'])('Sec-Fetch-Site %s passes', async (site) => {
    expect((await call('POST', { 'sec-fetch-site': site })).statusCode).toBe(200);
  });

  test('safe methods are free, so that a link from another site works', async () => {
    expect((await call('GET', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).statusCode).toBe(200);
  });

  test('without a session it is 401 first', async () => {
    const response = await world.app.inject({ method: 'POST', url: '/whoami', headers: { origin: 'https://evil.example' } });
    expect(response.statusCode).toBe(401);
  });

  test('logging out needs no body, and takes no form', async () => {
    expect(
      (await world.post('/api/auth/logout', token, undefined, { 'content-type': 'application/x-www-form-urlencoded' })).statusCode,
    ).toBe(415);
    expect((await world.post('/api/auth/logout', token, undefined, { 'content-type': 'application/json' })).statusCode).toBe(204);
  });
});

test('PUBLIC_URL decides the Origin and the Secure cookie behind a proxy', async () => {
  const proxied = await createWorld({ publicUrl: 'https://cloud.example.com' });
  await proxied.member('ada@example.com', 'viewer');
  expect((await login({ origin: 'http://palisade.example.com' }, undefined, proxied)).statusCode).toBe(403);
  const response = await login({ origin: 'https://cloud.example.com', host: 'localhost:8000' }, undefined, proxied);
  expect(response.statusCode).toBe(200);
  for (const cookie of [response.headers['set-cookie'] ?? ''].flat()) expect(cookie).toMatch(/; Secure$/);
  await proxied.close();
});
