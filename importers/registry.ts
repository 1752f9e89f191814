import { asff } from './asff.js';
import { ocsf } from './ocsf.js';
import { sarif } from './sarif.js';
import type { Importer } from './types.js';

/** Every supported report format, one line each. */
export const importers: readonly Importer[] = [ocsf, asff, sarif];
