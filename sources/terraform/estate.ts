import { existsSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { parseTemplate } from './parse.js';
import { readSourceText, UnreadableText } from '../text.js';
import { isTerraformFile, moduleIn, type Fault, type Module } from './module.js';
import type { Evaluate } from './scope.js';
import type { Expression } from './syntax.js';

/** A module or file that is not looked into, and why. */
export interface SkippedModule {
  file: string;
  line: number;
  reason: string;
}

/** Evaluation gave up: the configuration makes more work than anything that people write. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** Expressions that one root module may evaluate; an estate of a thousand resources takes some hundred thousand. */
const MAX_STEPS = 5_000_000;
/** Modules that one root module makes, in all its modules together. */
const MAX_MODULES = 100_000;
const MAX_FILE_CHARS = 1024 ** 2;

/** What a root module and the modules that it calls share: files that may be read, and how much work is left. */
export class Estate {
  readonly skipped: SkippedModule[] = [];
  readonly faults: Fault[] = [];
  /** Files that were asked for their text, whether they are there or not. */
  readonly texts = new Set<string>();
  private readonly taken = new Set<Module>();
  private readonly templates = new Map<string, Expression | undefined>();
  private readonly noted = new Set<string>();
  private steps = 0;
  private made = 0;

  /**
   * @param root the folder of the root module
   * @param boundary the folder outside of which nothing is read
   */
  constructor(
    readonly root: string,
    private readonly boundary: string,
    /** What works out expressions. */
    readonly evaluate: Evaluate,
    /** Modules that were read, by their folders, which root modules share. */
    private readonly modules: Map<string, Module>,
  ) {}

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > MAX_STEPS) throw new TooMuchWork(`evaluating it takes more than ${MAX_STEPS} steps`);
  }

  /** Counts a module that is made. @throws TooMuchWork */
  spendModule(): void {
    this.spend(1);
    this.made += 1;
    if (this.made > MAX_MODULES) throw new TooMuchWork(`it makes more than ${MAX_MODULES} modules`);
  }

  /** A folder's module, read once. */
  module(folder: string): Module {
    const module = moduleIn(folder, this.modules);
    this.take(module);
    return module;
  }

  /** Takes a module that has been read. */
  take(module: Module): void {
    if (this.taken.has(module)) return;
    this.taken.add(module);
    this.faults.push(...module.faults);
  }

  /** The folder of a local module, or why it is not read. */
  folderOf(source: string, from: string): { folder: string } | { reason: string } {
    if (!/^\.{1,2}(?:\/|$)/.test(source))
      return { reason: `its source ${source} is not local: modules of registries and repositories are not fetched` };
    const folder = resolve(from, source);
    if (!existsSync(folder) || !statSync(folder).isDirectory()) return { reason: `its source ${source} is no folder` };
    if (!this.isInside(folder))
      return { reason: `its source ${source} lies outside of the folder that is checked: check one that holds both` };
    return { folder };
  }

  /** Notes what is not looked into, each once. */
  skip(skipped: SkippedModule): void {
    const key = `${skipped.file}\n${skipped.line}`;
    if (this.noted.has(key)) return;
    this.noted.add(key);
    this.skipped.push(skipped);
  }

  /** The text of a file inside of the boundary, by a path from the root module; undefined where there is none. */
  readText(path: string): string | undefined {
    const file = resolve(this.root, path);
    this.texts.add(file);
    try {
      if (!existsSync(file) || !statSync(file).isFile() || !this.isInside(file) || isTerraformFile(file)) return undefined;
      const text = readSourceText(file);
      return text.length > MAX_FILE_CHARS ? undefined : text;
    } catch (error) {
      if (error instanceof UnreadableText || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
      throw error;
    }
  }

  readTemplate(path: string): Expression | undefined {
    const text = this.readText(path);
    if (text === undefined) return undefined;
    if (!this.templates.has(text)) this.templates.set(text, parseTemplate(text));
    return this.templates.get(text);
  }

  /** Also what links lead to. */
  private isInside(path: string): boolean {
    const way = relative(realpathSync(this.boundary), realpathSync(path));
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way));
  }
}
