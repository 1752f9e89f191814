import { Refusal, refusalIn } from '../../console/app/api.js';
import { askBy, prove, waysIn, type Ways } from '../../console/app/proof.js';

describe('what the API refuses', () => {
  it.each([
    [0, true],
    [429, true],
    [503, true],
    [403, false],
    [404, false],
  ])('with %d may pass: %s', (status, mayPass) => {
    expect(new Refusal(status, 'ANY', 'any', null).mayPass).toBe(mayPass);
  });

  it('is read from its body, or told by its status where that is none of the API', () => {
    expect(refusalIn(422, { error_code: 'VALIDATION_ERROR', message: 'No', detail: [{ path: 'a' }] })).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      message: 'No',
      detail: [{ path: 'a' }],
    });
    const errors = [{ message: 'Missing permission: check:read', extensions: { code: 'FORBIDDEN', detail: { a: 1 } } }];
    expect(refusalIn(403, { errors })).toMatchObject({ code: 'FORBIDDEN', message: 'Missing permission: check:read', detail: { a: 1 } });
    expect(refusalIn(502, null)).toMatchObject({ code: 'INTERNAL', message: 'The server answered 502', detail: null });
  });
});

describe('a proof of who somebody is', () => {
  const ways: Ways = { method: 'password', second_factor: false, url: '/api/auth/reauthenticate' };

  it('is asked for where the API says how, and once for all calls that wait for it', async () => {
    expect([waysIn({ reauthenticate: ways }), waysIn(null), waysIn([])]).toEqual([ways, null, null]);
    const asked: ((isProven: boolean) => void)[] = [];
    askBy(() => new Promise((resolve) => asked.push(resolve)));
    const both = Promise.all([prove(ways), prove(ways)]);
    expect(asked).toHaveLength(1);
    asked[0]!(true);
    expect(await both).toEqual([true, true]);
    const left = prove(ways);
    asked[1]!(false);
    expect(await left).toBe(false);
  });
});
