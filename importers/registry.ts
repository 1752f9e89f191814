import type { Importer } from './types.js';

export { importers };
