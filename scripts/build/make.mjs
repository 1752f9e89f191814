import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildBundles } from './bundles.mjs';
import { buildModules } from './modules.mjs';
import { buildPages } from './pages.mjs';
import { place, stage } from './place.mjs';
import { readPlaced } from './placed.mjs';

/**
 * Makes a build in a folder of its own and puts it in place.
 * @param inputs what `listInputs` gives
 * @param named the digest of the inputs, and their stamp
 */
export async function make(root, dist, inputs, named) {
  const staged = stage(dist);
  const former = readPlaced(dist);
  const pages = buildPages(root, staged, former && join(dist, former.id));
  const exportsOf = await buildModules(root, staged, inputs);
  await Promise.all([buildBundles(root, staged, exportsOf), pages]);
  keepCode(staged);
  await place(root, dist, staged, named);
}

/** Without its code cache a build is whole, and slower to start. */
function keepCode(staged) {
  const { PATH, TMPDIR } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'code-cache.mjs'), staged], {
    env: { PATH, ...(TMPDIR && { TMPDIR }), NODE_ENV: 'production', APOLLO_TELEMETRY_DISABLED: 'true' },
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (status !== 0) process.stderr.write(`The build has no code cache, so starts are slower: ${stderr.trim().split('\n').at(-1) ?? ''}\n`);
}
