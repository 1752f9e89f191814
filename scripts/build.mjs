// Builds dist/, unless what stands there is of these very files: `npm start` and `npm test` run it each time, and mostly it finds nothing to do.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOf, listInputs, stampOf } from './build/inputs.mjs';
import { notePlaced, readPlaced } from './build/placed.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const inputs = listInputs(root);
const stamp = stampOf(root, inputs.all);
const placed = readPlaced(dist);
if (placed?.stamp !== stamp) {
  const id = digestOf(root, inputs.all);
  if (placed?.id === id) notePlaced(dist, { id, stamp });
  else await import('./build/make.mjs').then(({ make }) => make(root, dist, inputs, { id, stamp }));
}
