import { interrupted } from '../errors.js';
import { StoreDamagedError } from '../folder/errors.js';

const NO_SPACE = 'No space left on device';
/** LevelDB's codes for what was closed while somebody read it. */
const NOT_OPEN = new Set(['LEVEL_DATABASE_NOT_OPEN', 'LEVEL_SNAPSHOT_NOT_OPEN', 'LEVEL_ITERATOR_NOT_OPEN']);

function causeOf(error: unknown): Error & { code?: string } {
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause instanceof Error ? error.cause : error;
}

/** The error to tell for one of LevelDB. */
export function errorOf(error: unknown): unknown {
  const { code, message } = causeOf(error);
  if (code === 'LEVEL_CORRUPTION') return new StoreDamagedError(message);
  return code !== undefined && NOT_OPEN.has(code) ? interrupted() : error;
}

/** Whether LevelDB says that its disk is full. */
export const isOutOfSpace = (error: unknown): boolean => causeOf(error).message.includes(NO_SPACE);
