import { isItem, type Item } from '../../importers/cloud/item.js';
import { codeSource, type CodeThing } from '../code-asset.js';
import type { InventorySource, Skipped } from '../types.js';
import { composeFile, ComposeFiles, isOverride, type ComposeFile } from './files.js';
import { extended, merged, tagsOf } from './merge.js';
import { serviceConfiguration } from './service.js';

/** Whether a file is one of Compose, by its name, or by services with an image or a build. */
export function isCompose(name: string, head: string): boolean {
  if (!/\.ya?ml$/i.test(name) && name !== '-') return false;
  if (/(?:^|[\\/])(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$/i.test(name)) return /^(?:services|include)\s*:/m.test(head);
  return /^services:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*(?:[ ]+)[\w.-]+:[ \t]*\r?\n[ ]+(?:image|build|container_name|extends)\s*:/m.test(
    head,
  );
}

/**
 * The services of a Compose file, with those that they extend and the files that are laid over one another worked in.
 * @param isAlone no folder is searched in which the files that it includes would be found by themselves
 * @throws NoTemplate
 */
export function readCompose(name: string, text: string, isAlone = true): InventorySource {
  const root = composeFile(name, text);
  const files = new ComposeFiles(root);
  const skipped: Skipped[] = [];
  const things = new Map<string, CodeThing>();
  for (const file of [root, ...included(root, files, isAlone, skipped)])
    for (const service of Object.keys(file.services)) {
      const whole = file === root ? wholeOf(service, files) : extended(service, file, files);
      const lines = file.linesOf(['services', service]);
      if (whole === undefined || things.has(service)) continue;
      if (typeof whole === 'string') skipped.push({ file: file.name, line: lines.line, reason: `the service ${service}: ${whole}` });
      else
        things.set(service, {
          type: 'compose_service',
          name: service,
          configuration: serviceConfiguration(whole),
          ...lines,
          ...(file !== root && { file: file.name }),
        });
    }
  return { ...codeSource(name, 'compose', [...things.values()], skipped), isMadeFrom: (file) => files.used.has(file) };
}

/** A service as it is started: what another file says of it is worked in. Undefined where that other file tells of it. */
function wholeOf(service: string, files: ComposeFiles): Item | string | undefined {
  const { root } = files;
  const whole = extended(service, root, files);
  if (typeof whole === 'string') return whole;
  const base = files.base();
  if (base !== undefined && isItem(base.services[service])) {
    if (isOverride(root.name)) return undefined;
    const lower = extended(service, base, files);
    return typeof lower === 'string' ? lower : merged(lower, whole, tagsOf(service, root));
  }
  const override = files.override();
  const above = override?.services[service];
  return override !== undefined && isItem(above) ? merged(whole, above, tagsOf(service, override)) : whole;
}

const MAX_INCLUDED = 100;

/** The files that a file includes and that nobody else reads, and those that they include. */
function included(root: ComposeFile, files: ComposeFiles, isAlone: boolean, skipped: Skipped[]): ComposeFile[] {
  const found = new Map<string, ComposeFile>();
  const pending = [root];
  for (let file = pending.pop(); file !== undefined && found.size < MAX_INCLUDED; file = pending.pop()) {
    for (const path of pathsOf(file.value.include)) {
      const next = files.open(path, file);
      if (typeof next === 'string')
        skipped.push({
          file: file.name,
          line: file.linesOf(['include']).line,
          reason: `a file that is included is not looked into: ${next}`,
        });
      else if (!found.has(next.name) && next !== root && (isAlone || !isCompose(next.name, next.text))) {
        found.set(next.name, next);
        pending.push(next);
      }
    }
  }
  return [...found.values()];
}

/** Paths of `include`: texts, or maps with one or several. */
const pathsOf = (include: unknown): string[] =>
  [include ?? []].flat().flatMap((one: unknown) => (isItem(one) ? [one.path ?? []].flat() : [one]).map(String));
