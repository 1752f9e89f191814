import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The files whose patterns say what is left out, those of the later one count more. */
const FILES = ['.gitignore', '.palisadeignore'];
/** Folders of tools, which hold copies of what stands elsewhere. */
const ALWAYS = new Set(['.git', '.hg', '.svn', 'node_modules', '.terraform', '.terragrunt-cache', '.palisade', '__pycache__', '.venv']);

/** What ignore files say of the files below a folder: those in it, in the folders above it up to the repository's root, and those met on the way. */
export class Ignored {
  /** The patterns of a folder's ignore files. */
  private readonly patterns = new Map<string, Ignore>();
  private readonly top: string;

  constructor(folder: string) {
    const above = foldersAbove(resolve(folder));
    this.top = above[0]!;
    for (const one of above) this.enter(one);
  }

  /** Takes the ignore files of a folder. */
  enter(folder: string): void {
    const absolute = resolve(folder);
    if (this.patterns.has(absolute)) return;
    const texts = FILES.map((name) => join(absolute, name))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'));
    // names differ by their case as they do in repositories
    if (texts.length > 0) this.patterns.set(absolute, ignore({ ignorecase: false }).add(texts.join('\n')));
  }

  /** Whether an entry of a folder is left out; the deepest ignore file that speaks of it decides. */
  has(path: string, isFolder: boolean): boolean {
    const absolute = resolve(path);
    if (isFolder && ALWAYS.has(basename(absolute))) return true;
    for (let folder = dirname(absolute); ; folder = dirname(folder)) {
      const way = relative(folder, absolute).replaceAll('\\', '/');
      const { ignored, unignored } = this.patterns.get(folder)?.test(isFolder ? `${way}/` : way) ?? { ignored: false, unignored: false };
      if (ignored || unignored) return ignored;
      if (folder === this.top || dirname(folder) === folder) return false;
    }
  }
}

/** The folders from a repository's root down to a folder; the folder alone where it is in none. */
function foldersAbove(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; !existsSync(join(at, '.git')); at = dirname(at)) {
    if (dirname(at) === at) return [folder];
    folders.unshift(dirname(at));
  }
  return folders;
}
