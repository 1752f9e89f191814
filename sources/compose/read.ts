import { isItem, type Item } from '../../importers/cloud/item.js';
import { codeSource, type CodeThing } from '../code-asset.js';
import { NoTemplate } from '../no-template.js';
import type { InventorySource, Skipped } from '../types.js';
import { parseYamlFile } from '../yaml-file.js';
import { serviceConfiguration } from './service.js';

const MAX_EXTENDS = 20;

/** Whether a file is one of Compose, by its name, or by services with an image or a build. */
export function isCompose(name: string, head: string): boolean {
  if (!/\.ya?ml$/i.test(name) && name !== '-') return false;
  if (/(?:^|[\\/])(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$/i.test(name)) return /^(?:services|include)\s*:/m.test(head);
  return /^services:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*(?:[ ]+)[\w.-]+:[ \t]*\r?\n[ ]+(?:image|build|container_name|extends)\s*:/m.test(
    head,
  );
}

/** The services of a Compose file, those that they extend worked in. @throws NoTemplate */
export function readCompose(name: string, text: string): InventorySource {
  const { value, linesOf } = parseYamlFile(text);
  const { services } = value;
  const skipped: Skipped[] = [];
  if (value.include !== undefined)
    skipped.push({ file: name, ...at(linesOf(['include'])), reason: 'files that are included are not looked into here' });
  if (!isItem(services)) {
    if (skipped.length === 0) throw new NoTemplate('it has no services');
    return codeSource(name, 'compose', [], skipped);
  }
  const things = Object.entries(services).flatMap(([service, own]): CodeThing[] => {
    const lines = linesOf(['services', service]);
    const whole = isItem(own) ? extended(own, services) : 'it is no map';
    if (typeof whole === 'string') {
      skipped.push({ file: name, ...at(lines), reason: `the service ${service}: ${whole}` });
      return [];
    }
    return [{ type: 'compose_service', name: service, configuration: serviceConfiguration(whole), ...lines }];
  });
  return codeSource(name, 'compose', things, skipped);
}

const at = ({ line }: { line: number }): { line: number } => ({ line });

/** A service with what it extends; why it cannot be told where that stands elsewhere. */
function extended(own: Item, services: Item, depth = 0): Item | string {
  const from = own.extends;
  if (from === undefined) return own;
  if (isItem(from) && from.file !== undefined) return 'it extends a service of another file: check what `docker compose config` prints';
  const parent = services[isItem(from) ? String(from.service) : String(from)];
  if (!isItem(parent) || depth > MAX_EXTENDS) return 'what it extends is not there';
  const whole = extended(parent, services, depth + 1);
  return typeof whole === 'string' ? whole : merged(whole, own);
}

/** Maps are merged, lists joined, of anything else the service's own counts (Compose specification, "extends"). */
function merged(one: Item, other: Item): Item {
  const made: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = made[key];
    if (isItem(before) && isItem(value)) made[key] = merged(before, value);
    else if (Array.isArray(before) && Array.isArray(value) && !REPLACED.has(key))
      made[key] = [...(before as unknown[]), ...(value as unknown[])];
    else made[key] = value;
  }
  return made;
}

const REPLACED = new Set(['command', 'entrypoint']);
