import { isItem, type Item } from '../../importers/cloud/item.js';
import type { ComposeFile, ComposeFiles } from './files.js';
import { merged } from './merge.js';

const MAX_EXTENDS = 20;

/** A service with what it extends, in whichever file; why it cannot be told. */
export function extended(own: Item, file: ComposeFile, files: ComposeFiles, depth = 0): Item | string {
  const from = own.extends;
  if (from === undefined) return own;
  const holder = isItem(from) && from.file !== undefined ? files.open(String(from.file), file) : file;
  if (typeof holder === 'string') return `what it extends is not looked into: ${holder}`;
  const parent = holder.services[isItem(from) ? String(from.service) : String(from)];
  if (!isItem(parent) || depth > MAX_EXTENDS) return 'what it extends is not there';
  const whole = extended(parent, holder, files, depth + 1);
  return typeof whole === 'string' ? whole : merged(whole, own);
}
