import { asff } from './asff.js';
import { grype } from './grype.js';
import { ocsf } from './ocsf.js';
import { sarif } from './sarif.js';
import { trivy } from './trivy.js';
import type { Importer } from './types.js';

/** Every supported report format, one line each. */
export const importers: readonly Importer[] = [
  ocsf,
  asff,
  sarif,
  trivy,
  grype,
];
