import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { folderOf } from '../../sources/find.js';
import { placesOf } from '../../sources/place.js';
import type { InventorySource } from '../../sources/types.js';

const MAX_OUTPUT = 256 * 1024 ** 2;

/** Nobody can say what has changed. */
export class NoChanges extends Error {
  override readonly name = 'NoChanges';
}

/** The files that have changed since a commit: those committed, staged, edited and new ones, and those that are gone. */
export class Changes {
  private readonly known = new Map<string | InventorySource, boolean>();

  private constructor(
    readonly since: string,
    private readonly files: ReadonlySet<string>,
  ) {}

  /**
   * Asks git, in each working tree in which something was named.
   * @param ref a branch, tag or commit; what others committed to it meanwhile is no change of here
   * @param paths as they were named for the check
   * @throws NoChanges where there is no working tree, or it does not have the commit
   */
  static async since(ref: string, paths: readonly string[]): Promise<Changes> {
    const trees = new Set<string>();
    for (const folder of new Set(paths.flatMap((path) => folderOf(path) ?? []))) {
      const top = await git(folder, ['rev-parse', '--show-toplevel']);
      if (top.text === undefined) throw new NoChanges(`${folder} is in no working tree of git: ${top.reason}`);
      trees.add(realpathSync(top.text.replace(/\r?\n$/, '')));
    }
    const files = new Set<string>();
    for (const tree of trees) for (const file of await changedIn(tree, ref)) files.add(join(tree, file.replace(/\/$/, '')));
    return new Changes(ref, files);
  }

  /** Whether a file, or the whole that a source makes of its files, has changed. What comes from no file always has. */
  has(file: string, source?: InventorySource): boolean {
    if (file === '-') return true;
    const whole = source?.isMadeFrom === undefined ? undefined : source;
    const key = whole ?? file;
    let known = this.known.get(key);
    if (known === undefined) {
      known =
        whole === undefined ? placesOf(file).some((place) => this.holds(place)) : [...this.files].some((one) => whole.isMadeFrom!(one));
      this.known.set(key, known);
    }
    return known;
  }

  /** A folder stands for all in it: a repository in the repository. */
  private holds(path: string): boolean {
    for (let at = path; ; at = dirname(at)) {
      if (this.files.has(at)) return true;
      if (dirname(at) === at) return false;
    }
  }
}

async function changedIn(tree: string, ref: string): Promise<string[]> {
  const commit = await git(tree, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  if (commit.text === undefined) throw new NoChanges(`${ref} is no commit of ${tree} (a shallow clone lacks older ones)`);
  const shared = await git(tree, ['merge-base', commit.text.trim(), 'HEAD']);
  const from = (shared.text ?? commit.text).trim();
  const lists = [
    await git(tree, ['diff', '--name-only', '--no-renames', '--no-ext-diff', '-z', from, '--']),
    await git(tree, ['ls-files', '--others', '--exclude-standard', '-z']),
  ];
  return lists.flatMap(({ text, reason }) => {
    if (text === undefined) throw new NoChanges(`git cannot say what has changed in ${tree}: ${reason}`);
    return text.split('\0').filter((file) => file !== '');
  });
}

const run = promisify(execFile);

/** What git prints, or why it does not. Settings of the repository that start programs are left aside. */
async function git(folder: string, args: readonly string[]): Promise<{ text?: string; reason: string }> {
  try {
    const { stdout } = await run('git', ['-C', folder, '-c', 'core.fsmonitor=false', ...args], { maxBuffer: MAX_OUTPUT });
    return { text: stdout, reason: '' };
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return { reason: (stderr || message).trim().split('\n', 1)[0]! };
  }
}
