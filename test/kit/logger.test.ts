import { Writable } from 'node:stream';
import { createLogger } from '../../kit/base/logger.js';

function logged(fields: object): Record<string, unknown> {
  let line = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      line += chunk.toString();
      done();
    },
  });
  createLogger('info', destination).info(fields, 'test');
  return JSON.parse(line) as Record<string, unknown>;
}
const failure = (code: unknown) => Object.assign(new Error('it failed'), { code });

describe('a log line', () => {
  it.each(['ECONNREFUSED', 'FST_ERR_CTP_BODY_TOO_LARGE', 'UND_ERR_CONNECT_TIMEOUT', 'E2BIG', 11_000, -111])(
    'tells the code of an error: %s',
    (code) => {
      expect(logged({ err: failure(code) })).toMatchObject({ err: { message: 'it failed', code } });
    },
  );

  it.each(['123456', 123_456, '12345678', 'abcde-fghij', 'SplxlOBeZQQYbYS6WxSbIA', { nested: 'ECONNREFUSED' }])(
    'tells no code of sign-in, also where an error carries it: %j',
    (code) => {
      expect(JSON.stringify(logged({ err: failure(code) }).err)).not.toContain(typeof code === 'object' ? 'nested' : String(code));
    },
  );

  it('tells no code and no secret of a request', () => {
    const line = logged({
      code: 'ECONNREFUSED',
      body: { code: 'ABCDEF', password: 'p' },
      req: { headers: { cookie: 'c', authorization: 'a' } },
    });
    expect(line).toMatchObject({
      code: '[REDACTED]',
      body: { code: '[REDACTED]', password: '[REDACTED]' },
      req: { headers: { cookie: '[REDACTED]', authorization: '[REDACTED]' } },
    });
  });
});
