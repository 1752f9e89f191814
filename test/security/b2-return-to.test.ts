import { safeReturnTo } from '../../sign-in/return-to.js';
import { Browser, post, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { openWorld, type World } from '../support/world.js';

const ELSEWHERE = [
  '//e',
  '//evil.example/x',
  '/\\e',
  '/\\/e',
  '\\\\e',
  '/..//e',
  '/x/..//e',
  '/%2e%2e//e',
  '/./ /e',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'https://evil.example',
  'https:evil.example',
  'e',
  '',
  '/\t/e',
  '/\n/e',
  '/é',
  `/${'a'.repeat(3_000)}`,
];
const HERE = ['/', '/gateway/docs', '/a/b?c=d&e=//f#g', '/a/../b'];

let world: World;
let tenant: SamlTenant;
beforeAll(async () => {
  world = await openWorld();
  tenant = await samlTenant(world);
});
afterAll(() => world.close());

async function endsAt(query: Record<string, string>, fields: Record<string, string> = {}): Promise<string | null> {
  const browser = new Browser(world.url);
  const request = await tenant.begin(browser, query);
  const { finished } = await post(browser, request.acsUrl, tenant.answer(request), fields);
  return finished!.headers.get('location');
}

describe('B2: where a browser goes on after signing in', () => {
  it.each(ELSEWHERE)('never to %j', (asked) => expect(safeReturnTo(asked)).toBe('/'));

  it.each(HERE)('to %j', (asked) => {
    const url = new URL(safeReturnTo(asked), 'https://palisade.test');
    expect(url.origin).toBe('https://palisade.test');
    expect(url.href).toBe(new URL(asked, 'https://palisade.test').href);
  });

  it.each(['//e', '/\\e', '/..//e', 'javascript:alert(1)'])('SAML: return_to=%j leads to /', async (asked) => {
    expect(await endsAt({ return_to: asked })).toBe('/');
  });

  it.each(['//e', '/\\e', '/..//e', 'javascript:alert(1)', 'https://evil.example/', '/elsewhere'])(
    'SAML: RelayState=%j changes nothing',
    async (asked) => {
      expect(await endsAt({ return_to: '/gateway/docs' }, { RelayState: asked })).toBe('/gateway/docs');
    },
  );
});
