import { readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { showSources } from './bundle-stacks.js';

/** The bundles of this thread, by their path without extension: scripts/build/code-cache.mjs asks them for their code. */
export const loaded = new Map<string, Script>();

/** The folder of this build. */
const BUILD = new URL('..', import.meta.url);

type Bundle = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  dirname: string,
  moduleUrl: (place: string) => string,
) => void;

/**
 * Runs a bundle, compiled as the build has left it in the code cache, where this V8 takes that; it compiles it else.
 * @returns what the module that heads it exports
 */
export function loadBundle(url: URL): object {
  const path = fileURLToPath(url);
  const name = path.replace(/\.cjs$/, '');
  // the cache keeps the file's name, so it must not be that of a folder which moves
  const filename = relative(fileURLToPath(BUILD), path).replaceAll('\\', '/');
  // the build leaves nothing but ASCII in it
  const source = readFileSync(path, 'latin1');
  const script = new Script(`(function(exports,require,module,__filename,__dirname,__moduleUrl){${source}\n})`, {
    filename,
    cachedData: readCache(`${name}.cache`),
  });
  loaded.set(name, script);
  showSources(filename, `${name}.lines.json`);
  holdBuild();
  const module = { exports: {} };
  // the text above is such a function
  const run = script.runInThisContext() as Bundle;
  run(module.exports, createRequire(url), module, path, fileURLToPath(new URL('.', url)), (place) => new URL(place, BUILD).href);
  return module.exports;
}

function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Tells the next build that this folder is in use: it is kept as long as this process lives. */
function holdBuild(): void {
  if (!isMainThread || loaded.size > 1) return;
  const hold = fileURLToPath(new URL(`in-use/${process.pid}`, BUILD));
  try {
    mkdirSync(new URL('in-use', BUILD), { recursive: true });
    writeFileSync(hold, '');
  } catch {
    // an image's files are not ours to write, and nobody builds there
    return;
  }
  process.once('exit', () => rmSync(hold, { force: true }));
}
