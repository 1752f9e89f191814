import { ERROR_TABLE, type ErrorCode } from '../../schema/error-table.js';
import type { Answer } from '../support/world.js';

/** The body of every error. */
export interface Envelope {
  page: string;
  error_code: ErrorCode;
  message: string;
  detail: unknown;
  degraded_engines: string[];
}

/** The three headers of the rate limit are there and hold together. */
export const expectLimits = ({ headers }: Answer<unknown>) => {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    expect({ name, value: headers.get(name) }).toEqual({ name, value: expect.stringMatching(/^\d+$/) as string });
  expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThanOrEqual(Number(headers.get('x-ratelimit-limit')));
  expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBeGreaterThan(Date.now() - 2_000);
};

/** The answer is the envelope of this code and nothing else. */
export function expectError(answer: Answer<unknown>, code: ErrorCode, page: string): Envelope {
  const body = answer.body as Envelope;
  expect({ status: answer.status, error_code: body.error_code, page: body.page }).toEqual({
    status: ERROR_TABLE[code].status,
    error_code: code,
    page,
  });
  expect(Object.keys(body).sort()).toEqual(['degraded_engines', 'detail', 'error_code', 'message', 'page']);
  expect(body).toMatchObject({ message: expect.stringMatching(/\S/) as string, degraded_engines: [] });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.text).not.toMatch(/node_modules|\.[jt]s:\d|Mongo|at Object|stack/);
  expectLimits(answer);
  return body;
}
