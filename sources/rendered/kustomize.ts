import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { isItem } from '../../importers/cloud/item.js';
import type { InventorySource } from '../types.js';
import { statOf } from '../unreadable.js';
import { runTool } from './run-tool.js';
import { renderedSource } from './source.js';

const FILE = /^(?:kustomization\.ya?ml|Kustomization)$/;
/** Members that name files and folders, by themselves or as `path` of an object. */
const NAMING =
  'resources bases components crds configurations transformers generators validators patches patchesStrategicMerge patchesJson6902 replacements openapi'.split(
    ' ',
  );
const GENERATORS = ['configMapGenerator', 'secretGenerator'];
const BY_HAND = 'build it with kubectl kustomize and check what that gives';
const MAX_FILES = 5_000;

export const isKustomization = (name: string): boolean => FILE.test(name);

/** What a kustomization is made of, itself included: files and folders by where they lie; or what of it is not below the folder that may be read. */
export type Parts = { files: ReadonlySet<string>; folders: ReadonlySet<string> } | { outside: string };

/** Follows a kustomization through its bases and components. What it names must be there: nothing is fetched. */
export function partsOf(file: string, boundary: string): Parts {
  const files = new Set<string>();
  const folders = new Set<string>();
  const pending = [file];
  for (let next = pending.pop(); next !== undefined && files.size < MAX_FILES; next = pending.pop()) {
    if (files.has(resolve(next))) continue;
    files.add(resolve(next));
    for (const named of namesIn(next)) {
      const path = join(dirname(next), named);
      const stats = statOf(path);
      if (stats === undefined || !isBelow(path, boundary)) return { outside: named };
      if (!stats.isDirectory()) files.add(resolve(path));
      else {
        folders.add(resolve(path));
        const inner = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']
          .map((name) => join(path, name))
          .find((name) => statOf(name) !== undefined);
        if (inner !== undefined) pending.push(inner);
      }
    }
  }
  return { files, folders };
}

function isBelow(path: string, boundary: string): boolean {
  const way = relative(realpathSync(boundary), realpathSync(path));
  return way === '' || !/^(?:\.\.|\/|[A-Za-z]:)/.test(way);
}

/** All that a file names, whatever it is; nothing where it cannot be read, which the tool will tell. */
function namesIn(file: string): string[] {
  let value: unknown;
  try {
    value = parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
  if (!isItem(value)) return [];
  const whole = value;
  const named = NAMING.flatMap((member) => [whole[member] ?? []].flat()).map((one) => (isItem(one) ? one.path : one));
  const generated = GENERATORS.flatMap((member) => [whole[member] ?? []].flat()).flatMap((one) =>
    isItem(one)
      ? [one.files, one.envs, one.env].flatMap((list) => [list ?? []].flat()).map((entry) => String(entry).replace(/^[^=]*=/, ''))
      : [],
  );
  // a patch may stand in the file itself
  return [...named, ...generated].filter((one): one is string => typeof one === 'string' && one !== '' && !one.includes('\n'));
}

/** A kustomization as its tool builds it; why it is not. */
export async function buildKustomization(file: string, parts: Parts): Promise<InventorySource | string> {
  if ('outside' in parts) return `a kustomization that refers to ${parts.outside}, which is not in the folder that is checked: ${BY_HAND}`;
  const folder = resolve(dirname(file));
  const result = await runTool([
    ['kustomize', 'build', folder],
    ['kubectl', 'kustomize', folder],
  ]);
  if ('missing' in result) return `a kustomization, and neither kustomize nor kubectl is installed: ${BY_HAND}`;
  if ('reason' in result) return `a kustomization that cannot be built: ${result.reason}`;
  return renderedSource(dirname(file), result.output, { fileOf: () => file, isMadeFrom: (one) => parts.files.has(one) });
}
