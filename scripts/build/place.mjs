// Puts a build in place. dist/ holds a folder a build and, at the places that others name, modules that hand on to the present one. Each is put there by a rename: who starts finds the
// old build or the new one, whole, and who runs goes on in the folder it began in.
import { build } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMON, THREADS } from './modules.mjs';
import { NOTE, notePlaced, readPlaced, replace } from './placed.mjs';

/** What is started, or imported, from outside of a build. */
const ENTRIES = ['embedded/serve', 'embedded/worker', ...THREADS, 'scripts/generate', 'scripts/catalog-stats', 'bench/run'];
const BUILD = /^[0-9a-f]{16}$/;
const STAGED = /^\.new-(\d+)$/;

/** A new folder for a build in the making. */
export function stage(dist) {
  const staged = join(dist, `.new-${process.pid}`);
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  return staged;
}

/** Makes a staged build the present one. */
export async function place(root, dist, staged, { id, stamp }) {
  const folder = join(dist, id);
  // an earlier layout, or a build that did not end
  const former = readPlaced(dist);
  if (former === null)
    for (const name of readdirSync(dist)) if (!STAGED.test(name) && !BUILD.test(name)) rmSync(join(dist, name), { recursive: true });
  // somebody else may have made the same one meanwhile
  if (existsSync(folder)) rmSync(staged, { recursive: true, force: true });
  else renameSync(staged, folder);
  for (const entry of ENTRIES) {
    const path = join(dist, `${entry}.js`);
    mkdirSync(dirname(path), { recursive: true });
    replace(path, `import '${'../'.repeat(entry.split('/').length - 1)}${id}/${entry}.js';\n`);
  }
  replace(join(dist, 'main.js'), await mainModule(root, id), 0o755);
  notePlaced(dist, { id, stamp });
  sweep(dist, [id, former?.id]);
}

/** main.ts stands alone, so that an old Node reads nothing else: it is the one module that is no part of the folder. */
async function mainModule(root, id) {
  const { outputFiles } = await build({ ...COMMON, entryPoints: [join(root, 'main.ts')], format: 'esm', write: false });
  return outputFiles[0].text.replaceAll('import("./', `import("./${id}/`);
}

/** Removes builds that are neither kept nor in use, and what builds that were killed have left. @param kept their names */
function sweep(dist, kept) {
  const entries = new Set(['main.js', NOTE, ...ENTRIES.map((entry) => entry.split('/')[0])]);
  for (const name of readdirSync(dist)) {
    const isKept = BUILD.test(name) ? kept.includes(name) || inUse(join(dist, name)) : entries.has(name) || isStaged(name);
    if (!isKept) rmSync(join(dist, name), { recursive: true, force: true });
  }
}

/** Whether a build that goes on is at work on it. */
const isStaged = (name) => lives(Number(STAGED.exec(name)?.[1] ?? /\.(\d+)$/.exec(name)?.[1] ?? 0));

/** Whether a process runs from a build: each leaves its number there (scripts/bundle-loader.ts). */
const inUse = (folder) => existsSync(join(folder, 'in-use')) && readdirSync(join(folder, 'in-use')).some((pid) => lives(Number(pid)));

function lives(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
