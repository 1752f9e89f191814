import { readFileSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import ignore from 'ignore';
import { ReportTooLarge, type ReportFormat } from '../importers/index.js';
import { readCloudFormation } from './cloudformation/read.js';
import { isTemplate, NoTemplate } from './cloudformation/template.js';
import { isTerraformFile } from './terraform/module.js';
import { loadHclParser } from './terraform/grammar.js';
import { parseHclFile } from './terraform/parse.js';
import { readTerraform, rootOfFile, type RootModule, type TerraformSource } from './terraform/read.js';
import { manifestSource, recognise, recogniseSource, reportSource, textSource } from './reports.js';
import { readSourceText, textOf, UnreadableText } from './text.js';
import type { InventorySource, Skipped, Unreadable } from './types.js';
import { mayHoldInventory, whyNot, whyNotCode, whyUnchecked } from './unchecked.js';
import { walk } from './walk.js';

/** What was named for a check, ready to be read. */
export interface Found {
  sources: InventorySource[];
  /** Those of files that were named by themselves: each must hold something. */
  named: Set<InventorySource>;
  /** A folder or a glob was named, in which files are found and passed over. */
  isSearch: boolean;
  /** Folders that were named and hold nothing to evaluate. */
  empty: string[];
  /** What describes infrastructure and is not evaluated. */
  skipped: Skipped[];
  /** What was asked for and cannot be read. */
  unreadable: Unreadable[];
  /** Files in folders that hold nothing to check: of other kinds, or left out by ignore files. */
  others: number;
  ignored: number;
}

interface Options {
  /** Files of values of Terraform's variables. */
  variableFiles?: readonly string[];
  /** Reads standard input, which `-` stands for. */
  readInput(): Promise<Buffer>;
}

/** Manifests of one folder past this are read one by one. */
const MAX_TOGETHER = 64 * 1024 ** 2;
const IS_GLOB = /[*?[\]]/;

/** Finds what to check: files as they are named, all below folders, what globs match, standard input for `-`. */
export async function findSources(paths: readonly string[], options: Options): Promise<Found> {
  const finder = new Finder(options);
  for (const path of new Set(paths)) await finder.take(path);
  return finder.finish();
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
  /** Folders of modules, and whether all of their files were asked for. */
  private readonly modules = new Map<string, RootModule>();

  constructor(private readonly options: Options) {}

  async take(path: string): Promise<void> {
    if (path === '-') return this.takeInput();
    const stats = statOf(path);
    if (stats?.isDirectory() === true || (stats === undefined && IS_GLOB.test(path))) this.found.isSearch = true;
    if (stats?.isDirectory()) {
      const before = this.found.sources.length + this.modules.size;
      await this.takeFolder(path);
      if (this.found.sources.length + this.modules.size === before) this.found.empty.push(path);
    } else if (stats === undefined && IS_GLOB.test(path)) await this.takeGlob(path);
    else if (isTerraformFile(basename(path)) && stats !== undefined) this.takeModule(rootOfFile(path));
    else await this.takeFile(path);
  }

  async finish(): Promise<Found> {
    const called = new Set<string>();
    const roots: TerraformSource[] = [];
    for (const module of this.modules.values()) {
      const source = await readTerraform({ ...module, variableFiles: this.options.variableFiles ?? [] });
      roots.push(source);
      for (const folder of source.modules) called.add(folder);
    }
    // what another one calls is judged as it is called, unless it was named itself
    for (const [n, module] of [...this.modules.values()].entries())
      if (module.files !== undefined || module.folder === module.boundary || !called.has(resolve(module.folder)))
        this.found.sources.push(roots[n]!);
    return this.found;
  }

  private takeModule(module: RootModule): void {
    const key = resolve(module.folder);
    const known = this.modules.get(key);
    if (known === undefined) this.modules.set(key, module);
    else if (module.files === undefined) this.modules.set(key, { ...known, files: undefined });
    else if (known.files !== undefined) this.modules.set(key, { ...known, files: [...known.files, ...module.files] });
  }

  /** A file that was named is read whatever its name is, or it is told why not. */
  private async takeFile(path: string): Promise<void> {
    try {
      const { source, format, head } = await recognise(path);
      if (format !== undefined) this.takeNamed(reportSource(path, source, format));
      else if (isTemplate(head)) this.takeNamed(readCloudFormation(path, readSourceText(path)));
      else this.found.unreadable.push({ file: path, reason: whyNot(path, head) });
    } catch (error) {
      this.refuse(path, error);
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
    if (isTemplate(head)) {
      try {
        this.takeNamed(readCloudFormation('-', textOf(bytes)));
      } catch (error) {
        this.refuse('standard input', error);
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
    const steps = glob.replaceAll('\\', '/').split('/');
    const at = steps.findIndex((step) => IS_GLOB.test(step));
    const base = steps.slice(0, at).join('/') || (glob.startsWith('/') ? '/' : '.');
    if (statSync(base, { throwIfNoEntry: false })?.isDirectory() !== true) {
      this.found.unreadable.push({ file: glob, reason: `${glob}: there is no folder ${base}` });
      return;
    }
    const pattern = ignore().add(`/${steps.slice(at).join('/')}`);
    const walked = walk(base);
    const prefix = base === '.' ? 0 : join(base, '/').length;
    let count = 0;
    for (const [folder, files] of walked.folders) {
      const matched = files.filter((file) => pattern.ignores(file.slice(prefix).replaceAll('\\', '/')));
      count += matched.length;
      for (const file of matched.filter((one) => isTerraformFile(basename(one))))
        this.takeModule({ folder, boundary: base, files: [file] });
      await this.takeReports(
        folder,
        matched.filter((file) => !isTerraformFile(basename(file))),
      );
    }
    if (count === 0) this.found.unreadable.push({ file: glob, reason: `${glob} matches no file` });
  }

  private async takeFolder(path: string): Promise<void> {
    const { folders, ignored, skipped, unreadable } = walk(path);
    this.found.ignored += ignored;
    this.found.skipped.push(...skipped);
    this.found.unreadable.push(...unreadable);
    const charts = [...folders]
      .filter(([, files]) => files.some((file) => /^Chart\.ya?ml$/.test(basename(file))))
      .map(([folder]) => folder);
    for (const [folder, files] of folders) {
      if (files.some((file) => isTerraformFile(basename(file)))) this.takeModule({ folder, boundary: path });
      const inChart = charts.some((chart) => folder === chart || chart === path || folder.startsWith(join(chart, '/')));
      const others = files.filter((file) => !isTerraformFile(basename(file)) && (!inChart || /^Chart\.ya?ml$/.test(basename(file))));
      if (inChart) this.found.others += files.length - others.length;
      await this.takeReports(folder, others);
    }
  }

  /** Files of one folder that were not named: those that hold an inventory are read, those that describe infrastructure otherwise are told. */
  private async takeReports(folder: string, files: readonly string[]): Promise<void> {
    const manifests: { file: string; bytes: Buffer }[] = [];
    let manifest: ReportFormat | undefined;
    for (const file of files) {
      const reason = whyUnchecked(file);
      if (reason !== undefined) this.found.skipped.push({ file, reason });
      if (reason !== undefined) continue;
      if (!mayHoldInventory(basename(file))) {
        this.found.others += 1;
        continue;
      }
      try {
        const { source, format, head } = await recognise(file);
        const size = source.size ?? MAX_TOGETHER;
        if (format === undefined && isTemplate(head)) this.found.sources.push(readCloudFormation(file, readSourceText(file)));
        else if (format === undefined) this.takeUnknown(file, head);
        else if (format.name === 'kubernetes' && /\.ya?ml$/i.test(extname(file)) && size < MAX_TOGETHER) {
          const bytes = readFileSync(file);
          if (isUtf16(bytes)) this.found.sources.push(reportSource(file, source, format));
          else {
            manifest = format;
            manifests.push({ file, bytes: withoutMark(bytes) });
          }
        } else this.found.sources.push(reportSource(file, source, format));
      } catch (error) {
        this.refuse(file, error);
      }
    }
    const together = manifests.reduce((sum, { bytes }) => sum + bytes.length, 0) < MAX_TOGETHER;
    if (manifest === undefined) return;
    if (together) this.found.sources.push(manifestSource(folder, manifests, manifest));
    else for (const one of manifests) this.found.sources.push(manifestSource(dirname(one.file), [one], manifest));
  }

  private takeUnknown(file: string, head: string): void {
    const reason = whyNotCode(head);
    if (reason === undefined) this.found.others += 1;
    else this.found.skipped.push({ file, reason });
  }

  private refuse(file: string, error: unknown): void {
    if (!isUnreadable(error)) throw error;
    this.found.unreadable.push({ file, reason: (error as Error).message });
  }
}

/** What is there; undefined where nothing is, or nobody may look. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

const isUtf16 = (bytes: Buffer): boolean => (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
const withoutMark = (bytes: Buffer): Buffer => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes);

const isUnreadable = (error: unknown): boolean =>
  error instanceof ReportTooLarge ||
  error instanceof NoTemplate ||
  error instanceof UnreadableText ||
  ['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
