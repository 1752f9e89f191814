import { notSupported } from '../errors.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';

export function explain(_context: CommandContext): Reply {
  throw notSupported('explain');
}
