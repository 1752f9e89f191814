import { Client, type Answer, type World } from '../support/world.js';

/** Where a session is asked for: a read, the caller, and the graph. */
const CALLS: readonly [path: string, body?: object][] = [
  ['/api/v1/check/findings'],
  ['/api/v1/users/me'],
  ['/graphql', { query: '{ check_findings { total } }' }],
];

/** What the server answers to a token at each of them. */
export const answersTo = (world: Pick<World, 'url'>, token: string): Promise<Answer[]> =>
  Promise.all(CALLS.map(([path, body]) => new Client(world.url, `access_token=${token}`, null).call(path, { body })));

/** What a refusal says: that a session has ended is told only to who shows a token that we have signed. */
export const ENDED = 'Your session has ended: sign in again';

/** @throws unless every call is a 401 that tells nothing but `message`, and sets no cookie */
export async function expectRefused(world: Pick<World, 'url'>, token: string, message: string | RegExp = 'Sign in first'): Promise<void> {
  for (const { status, text, headers } of await answersTo(world, token)) {
    expect({ status, text }).toEqual({ status: 401, text: expect.stringMatching(/UNAUTHENTICATED/) as string });
    const body = JSON.parse(text) as { message?: string; errors?: { message: string }[] };
    expect(body.message ?? body.errors?.[0]?.message).toMatch(message);
    expect(headers.get('set-cookie')).toBeNull();
  }
}

export async function expectAccepted(world: Pick<World, 'url'>, token: string): Promise<void> {
  expect((await answersTo(world, token)).map(({ status }) => status)).toEqual([200, 200, 200]);
}
