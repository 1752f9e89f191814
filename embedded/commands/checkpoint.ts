import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { CommandError } from '../errors.js';
import { writeSnapshot } from '../snapshot/write.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';

const FAILED_TO_PARSE = 9;

/**
 * `{ writeCheckpoint: <absolute path of a file that is not there> }`: writes everything that is committed at this moment to one file, beside
 * other commands. Put into an empty folder as `snapshot-00000001.bin`, the file is a store.
 */
export async function checkpoint({ command, store }: CommandContext): Promise<Reply> {
  const path = command.string(command.name);
  if (path === undefined || !isAbsolute(path) || existsSync(path))
    throw new CommandError(FAILED_TO_PARSE, 'writeCheckpoint names the absolute path of a file that is not there');
  await writeSnapshot(path, store);
  return { ok: 1 };
}
