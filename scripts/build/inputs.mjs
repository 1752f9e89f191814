// What a build is made of, and whether one that is there is of just that.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const NOT_SOURCE = new Set(['node_modules', 'dist', 'coverage', 'docs', 'test']);
/** Data files that modules read at run time. */
const DATA = /\.(?:txt|graphql|ya?ml|tsv|jsonl?|html|css|sarif|tfstate)$/;
/** Folders whose files no module reads at run time. */
const NO_DATA = /^(?:bench|scripts)[/\\]/;
/** What is bundled for browsers, and read by nothing else. */
const PAGES = /^console[/\\]/;
/** What decides beside the sources: the packages, as npm has put them there. */
export const PACKAGES = ['package.json', 'node_modules/.package-lock.json'];

/** Every file below `folder`, leaving out hidden folders and what is not source. */
function* walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || NOT_SOURCE.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

/** The files of the product below `root`, as paths from there: modules, data that they read, pages, and what builds them. */
export function listInputs(root) {
  const files = [...walk(root)].map((path) => relative(root, path));
  const pages = files.filter((file) => PAGES.test(file));
  const modules = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !PAGES.test(file));
  const data = files.filter((file) => !PAGES.test(file) && DATA.test(file) && /[/\\]/.test(file) && !NO_DATA.test(file));
  const tools = files.filter((file) => file.startsWith('scripts') && file.endsWith('.mjs'));
  return { modules, data, pages, all: [...modules, ...data, ...pages, ...tools, ...PACKAGES].sort() };
}

const digest = (parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
};

/** Changes whenever a file may have changed: sizes and times, which are quickly read. ctime is set by every write and by nobody else. */
export const stampOf = (root, files) =>
  digest(
    files.map((file) => {
      const { size, mtimeMs, ctimeMs, ino } = statSync(join(root, file));
      return [file, size, mtimeMs, ctimeMs, ino].join();
    }),
  );

/** Names a build: what its files hold, and the Node that makes it, whose code cache it keeps. */
export const digestOf = (root, files) =>
  digest([process.version, process.arch, ...files.flatMap((file) => [file, readFileSync(join(root, file))])]);
