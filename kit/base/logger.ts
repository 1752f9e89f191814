import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** Keys whose value never reaches a log line, at the depths where requests carry them. */
const REDACTED = ['password', 'access_token', 'cookie', 'authorization', 'set-cookie', 'secret', 'code'];

/** How systems name errors: `ECONNREFUSED`, `FST_ERR_VALIDATION`, 11000. A person's code of six or eight digits is none. */
const isErrorCode = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isInteger(value) && Math.abs(value) < 100_000
    : typeof value === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(value);

/** The code of an error tells what failed and stays; any other `code` is a secret of sign-in. */
const censor = (value: unknown, path: string[]): unknown =>
  path.at(-1) === 'code' && path[0] === 'err' && isErrorCode(value) ? value : '[REDACTED]';

/**
 * The process's logger: one JSON object a line on standard error, so that standard output stays for what a command prints.
 * @param level a pino level, or `silent`
 */
export function createLogger(level: string, destination: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger {
  // named beside the wildcards, which tell the censor nothing of the member that they stand for
  const paths = ['err["code"]'].concat(REDACTED.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]));
  return pino({ level, redact: { paths, censor }, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
