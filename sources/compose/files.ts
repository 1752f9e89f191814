import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isItem, type Item } from '../../importers/cloud/item.js';
import { NoTemplate } from '../no-template.js';
import { readSourceText } from '../text.js';
import { parseYamlFile, type YamlFile } from '../yaml-file.js';
import { TAGS } from './merge.js';

/** A file of Compose: where it lies, as its reader is told of it, and what is in it. */
export interface ComposeFile extends YamlFile {
  readonly name: string;
  readonly text: string;
  readonly services: Item;
}

/** `compose.prod.yaml` is laid over `compose.yaml`; what is laid over it by itself is called `override`. */
const LAID_OVER = /^((?:docker-)?compose)[.-]([\w.-]+)\.ya?ml$/i;
const OVERRIDE = /^override$/i;

/** The files that a file of Compose names, and those that stand beside it for the same project. Only what lies in its folder or below is read. */
export class ComposeFiles {
  /** Those that were read beside the first, by where they lie. */
  readonly used = new Set<string>();
  private readonly boundary: string | undefined;
  private readonly read = new Map<string, ComposeFile | string>();

  constructor(readonly root: ComposeFile) {
    this.boundary = root.name === '-' ? undefined : realpathSync(dirname(root.name));
    this.read.set(join(root.name), root);
  }

  /** A file that one names; why it is not looked into. */
  open(path: string, from: ComposeFile): ComposeFile | string {
    if (this.boundary === undefined) return `${path} is not known beside standard input`;
    if (path.includes('$')) return `${path} is not known here`;
    return this.openAt(join(dirname(from.name), path));
  }

  /** The file that the first is laid over: `compose.yaml` of `compose.prod.yaml`. */
  base(): ComposeFile | undefined {
    const stem = LAID_OVER.exec(basename(this.root.name))?.[1];
    return stem === undefined
      ? undefined
      : this.beside((name) => /^(?:docker-)?compose\.ya?ml$/i.test(name) && name.startsWith(`${stem}.`));
  }

  /** The file that Compose lays over the first without being asked. */
  override(): ComposeFile | undefined {
    const stem = /^((?:docker-)?compose)\.ya?ml$/i.exec(basename(this.root.name))?.[1];
    return stem === undefined ? undefined : this.beside((name) => isOverride(name) && name.startsWith(`${stem}.`));
  }

  private beside(is: (name: string) => boolean): ComposeFile | undefined {
    if (this.boundary === undefined) return undefined;
    const name = readdirSync(this.boundary).sort().find(is);
    const file = name === undefined ? undefined : this.openAt(join(dirname(this.root.name), name));
    return typeof file === 'object' ? file : undefined;
  }

  private openAt(name: string): ComposeFile | string {
    let file = this.read.get(name);
    if (file === undefined) this.read.set(name, (file = this.readAt(name)));
    return file;
  }

  private readAt(name: string): ComposeFile | string {
    if (!existsSync(name)) return `${name} is not there`;
    try {
      const place = realpathSync(name);
      if (!place.startsWith(this.boundary + sep)) return `${name} lies outside of the file's folder`;
      const file = composeFile(name, readSourceText(place));
      this.used.add(place);
      return file;
    } catch (error) {
      return `${name}: ${(error as Error).message}`;
    }
  }
}

/** Whether a file is laid over another by Compose itself. */
export const isOverride = (name: string): boolean => OVERRIDE.test(LAID_OVER.exec(basename(name))?.[2] ?? '');

/** @throws NoTemplate */
export function composeFile(name: string, text: string): ComposeFile {
  const yaml = parseYamlFile(text, TAGS);
  const { services = {}, include } = yaml.value;
  if (!isItem(services) || (include === undefined && Object.keys(services).length === 0)) throw new NoTemplate('it has no services');
  return { ...yaml, name, text, services };
}
