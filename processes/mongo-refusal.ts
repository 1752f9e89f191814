import { mongo } from 'mongoose';
import { ConfigError } from '../kit/base/config.js';

/** Codes of a server that does not take the user (MongoDB's error_codes.yml: AuthenticationFailed, Unauthorized). */
const REFUSED = new Set<unknown>([13, 18]);

/**
 * What a MongoDB that cannot be used tells an operator: MONGODB_URI, and why. It names hosts, never the user or the password of the URI.
 * @returns the error as it is when it does not come from the connection
 */
export function mongoRefusal(error: unknown): unknown {
  const { name, message, code, reason } = error as Error & { code?: unknown; reason?: { servers?: ReadonlyMap<string, unknown> } };
  if (/ServerSelectionError$/.test(name)) {
    const hosts = [...(reason?.servers?.keys() ?? [])].join(', ') || 'its hosts';
    return new ConfigError(`MONGODB_URI: no MongoDB that can be used answers at ${hosts} (${message})`);
  }
  if (error instanceof mongo.MongoServerError && REFUSED.has(code))
    return new ConfigError(`MONGODB_URI: the server refuses the user (${message})`);
  if (
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoParseError ||
    error instanceof mongo.MongoInvalidArgumentError
  )
    return new ConfigError(`MONGODB_URI: ${message}`);
  return error;
}
