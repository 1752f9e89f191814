import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** Keys whose value never reaches a log line, at the depths where requests carry them. */
const REDACTED = ['password', 'access_token', 'cookie', 'authorization', 'set-cookie', 'secret', 'code'];

/**
 * The process's logger: one JSON object a line on standard error, so that standard output stays for what a command prints.
 * @param level a pino level, or `silent`
 */
export function createLogger(level: string, destination: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger {
  const paths = REDACTED.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  return pino({ level, redact: { paths, censor: '[REDACTED]' }, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
