import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import ignore from 'ignore';
import { takeFiles } from './folder-files.js';
import { recognise, recogniseSource, reportSource, textSource } from './reports.js';
import { render } from './rendered/render.js';
import { ValueFiles } from './rendered/value-files.js';
import { RootModules } from './root-modules.js';
import { loadHclParser } from './terraform/grammar.js';
import { isTerraformFile } from './terraform/module.js';
import { parseHclFile } from './terraform/parse.js';
import { readTerraform, rootOfFile } from './terraform/read.js';
import { templateReader } from './templates.js';
import { readSourceText, textOf } from './text.js';
import type { Found, InventorySource } from './types.js';
import { whyNot } from './unchecked.js';
import { statOf, unreadable } from './unreadable.js';
import { walk, type Walked } from './walk.js';

interface Options {
  /** Files of values of Terraform's variables. */
  variableFiles?: readonly string[];
  /** Files of values of Helm's charts. */
  chartValues?: readonly string[];
  /** Reads standard input, which `-` stands for. */
  readInput(): Promise<Buffer>;
}

const IS_GLOB = /[*?[\]]/;

/** Finds what to check: files as they are named, all below folders, what globs match, standard input for `-`. */
export async function findSources(paths: readonly string[], options: Options): Promise<Found> {
  const finder = new Finder(options);
  const kinds = [...new Set(paths)].map((path) => ({ path, kind: kindOf(path) }));
  // a file that lies in a folder which is named, too, is read with what is around it, and once
  for (const wanted of ['folder', 'glob', 'file'] as const)
    for (const { path, kind } of kinds) if (kind === wanted) await finder.take(path, kind);
  return finder.finish();
}

type Kind = 'folder' | 'glob' | 'file';

function kindOf(path: string): Kind {
  const stats = path === '-' ? undefined : statOf(path);
  if (stats !== undefined) return stats.isDirectory() ? 'folder' : 'file';
  return IS_GLOB.test(path) ? 'glob' : 'file';
}

/** The folder that a glob begins with, and its steps below that. */
function partsOf(glob: string): { base: string; rest: string } {
  const steps = glob.replaceAll('\\', '/').split('/');
  const at = steps.findIndex((step) => IS_GLOB.test(step));
  return { base: steps.slice(0, at).join('/') || (glob.startsWith('/') ? '/' : '.'), rest: steps.slice(at).join('/') };
}

/** The folder that a path which was named leads into; undefined for standard input, and where there is none. */
export function folderOf(path: string): string | undefined {
  if (path === '-') return undefined;
  const kind = kindOf(path);
  const folder = kind === 'folder' ? path : kind === 'glob' ? partsOf(path).base : dirname(path);
  return statOf(folder)?.isDirectory() === true ? folder : undefined;
}

class Finder {
  private readonly found: Found = {
    sources: [],
    named: new Set(),
    isSearch: false,
    empty: [],
    skipped: [],
    unreadable: [],
    others: 0,
    ignored: 0,
  };
  private readonly modules = new RootModules();
  /** Files that are read, by where they lie. */
  private readonly taken = new Set<string>();
  private readonly namedModuleFiles: string[] = [];

  private readonly chartValues: ValueFiles;

  constructor(private readonly options: Options) {
    this.chartValues = new ValueFiles(options.chartValues ?? []);
  }

  async take(path: string, kind: Kind): Promise<void> {
    if (kind !== 'file') {
      this.found.isSearch = true;
      return kind === 'folder' ? this.takeFolder(path) : this.takeGlob(path);
    }
    if (path === '-') return this.takeInput();
    if (!isTerraformFile(basename(path)) || statOf(path) === undefined) return this.takeFile(path);
    this.namedModuleFiles.push(path);
    this.modules.take(rootOfFile(path), false);
  }

  async finish(): Promise<Found> {
    const modules = await this.modules.sources(this.options.variableFiles ?? []);
    this.found.sources.push(...modules);
    for (const file of this.namedModuleFiles) if (!modules.some(({ files }) => files.has(resolve(file)))) this.found.empty.push(file);
    for (const file of this.chartValues.unused())
      this.found.unreadable.push({
        file,
        reason: `${file}: no chart that was found has values of this name, and there is no such file here`,
      });
    return this.found;
  }

  /** A file that was named is read whatever its name is, or it is told why not. */
  private async takeFile(path: string): Promise<void> {
    try {
      const { source, format, head } = await recognise(path);
      const place = realpathSync(path);
      if (this.taken.has(place)) return;
      const readTemplate = templateReader(path, head);
      if (format !== undefined) this.takeNamed(reportSource(path, source, format));
      else if (readTemplate !== undefined) this.takeNamed(readTemplate(path, readSourceText(path)));
      else this.found.unreadable.push({ file: path, reason: whyNot(path, head) });
      this.taken.add(place);
    } catch (error) {
      this.found.unreadable.push(unreadable(path, error));
    }
  }

  private takeNamed(source: InventorySource): void {
    this.found.sources.push(source);
    this.found.named.add(source);
  }

  private async takeInput(): Promise<void> {
    const bytes = await this.options.readInput();
    const { source, format, head } = await recogniseSource(textSource(bytes));
    if (format !== undefined) {
      this.takeNamed(reportSource('-', source, format));
      return;
    }
    const readTemplate = templateReader('-', head);
    if (readTemplate !== undefined) {
      try {
        this.takeNamed(readTemplate('-', textOf(bytes)));
      } catch (error) {
        this.found.unreadable.push(unreadable('standard input', error));
      }
      return;
    }
    await loadHclParser();
    const text = bytes.toString('utf8');
    const { body, faults } = parseHclFile(text);
    if (faults.length === 0 && body.blocks.length > 0)
      this.found.sources.push(await readTerraform({ folder: '.', boundary: '.', text: { file: '-', content: text } }));
    else this.found.unreadable.push({ file: 'standard input', reason: whyNot('standard input', head) });
  }

  /** A glob is matched against all below the folder that it begins with; what it matches counts as named in a folder. */
  private async takeGlob(glob: string): Promise<void> {
    const { base, rest } = partsOf(glob);
    if (statOf(base)?.isDirectory() !== true) {
      this.found.unreadable.push({ file: glob, reason: `${glob}: there is no folder ${base}` });
      return;
    }
    const pattern = ignore().add(`/${rest}`);
    const { folders, isLeftOut } = this.walked(base);
    const prefix = base === '.' ? 0 : join(base, '/').length;
    let [count, held] = [0, 0];
    for (const [folder, files] of folders) {
      const matched = files.filter((file) => pattern.ignores(file.slice(prefix).replaceAll('\\', '/')));
      count += matched.length;
      const code = matched.filter((file) => isTerraformFile(basename(file)));
      if (code.length > 0) this.modules.take({ folder, boundary: base, files: code, isLeftOut }, false);
      const others = matched.filter((file) => !isTerraformFile(basename(file)));
      held += code.length + (await takeFiles(this.found, folder, others, this.taken));
    }
    if (count === 0) this.found.unreadable.push({ file: glob, reason: `${glob} matches no file` });
    else if (held === 0) this.found.empty.push(glob);
  }

  private async takeFolder(path: string): Promise<void> {
    const { folders, isLeftOut } = this.walked(path);
    const charts = [...folders]
      .filter(([, files]) => files.some((file) => /^Chart\.ya?ml$/.test(basename(file))))
      .flatMap(([chart]) => ['templates', 'charts'].map((part) => (chart === '.' ? part : join(chart, part))));
    const rendered = await render(folders, path, this.chartValues);
    this.found.sources.push(...rendered.sources);
    this.found.skipped.push(...rendered.skipped);
    let held = rendered.sources.length;
    for (const [folder, all] of folders) {
      const files = all.filter((file) => !rendered.has(file));
      if (files.some((file) => isTerraformFile(basename(file)))) {
        this.modules.take({ folder, boundary: path, isLeftOut }, folder === path);
        held += 1;
      }
      const inChart = charts.some((part) => folder === part || folder.startsWith(part + sep));
      const others = files.filter((file) => !isTerraformFile(basename(file)) && (!inChart || /^Chart\.ya?ml$/.test(basename(file))));
      if (inChart) this.found.others += files.length - others.length;
      held += await takeFiles(this.found, folder, others, this.taken);
    }
    if (held === 0) this.found.empty.push(path);
  }

  /** All below a folder; what was passed over on the way is told. */
  private walked(folder: string): Walked {
    const walked = walk(folder);
    this.found.ignored += walked.ignored;
    this.found.skipped.push(...walked.skipped);
    this.found.unreadable.push(...walked.unreadable);
    return walked;
  }
}
