import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The files whose patterns say what is left out, those of the later one count more. */
const FILES = ['.gitignore', '.palisadeignore'];
/** Folders of tools, which hold copies of what stands elsewhere. */
const ALWAYS = new Set(['.git', '.hg', '.svn', 'node_modules', '.terraform', '.terragrunt-cache', '.palisade', '__pycache__', '.venv']);

interface Patterns {
  folder: string;
  patterns: Ignore;
}

/** What ignore files say of the files below a folder: those in it, in the folders above it up to the repository's root, and those met on the way. */
export class Ignored {
  private readonly read: Patterns[] = [];

  constructor(folder: string) {
    for (const above of foldersAbove(resolve(folder))) this.enter(above);
  }

  /** Takes the ignore files of a folder. */
  enter(folder: string): void {
    const absolute = resolve(folder);
    if (this.read.some((known) => known.folder === absolute)) return;
    const texts = FILES.map((name) => join(absolute, name))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'));
    if (texts.length > 0) this.read.push({ folder: absolute, patterns: ignore().add(texts.join('\n')) });
  }

  /** Whether an entry of a folder is left out; the deepest ignore file that speaks of it decides. */
  has(path: string, isFolder: boolean): boolean {
    const absolute = resolve(path);
    const name = absolute.replace(/^.*[\\/]/, '');
    if (isFolder && ALWAYS.has(name)) return true;
    for (const { folder, patterns } of this.read.toReversed()) {
      const way = relative(folder, absolute).replaceAll('\\', '/');
      if (way === '' || way.startsWith('..')) continue;
      const { ignored, unignored } = patterns.test(isFolder ? `${way}/` : way);
      if (ignored || unignored) return ignored;
    }
    return false;
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
