import { collections } from './collections.js';
import type { FunctionTable, TerraformFunction } from './kinds.js';
import { numbers } from './numbers.js';
import { texts } from './texts.js';

const TABLES: readonly FunctionTable[] = [collections, texts, numbers];

/** Functions whose arguments must be known all through, and those that work with what is known of them; by name. Those of files and of encodings are the evaluator's. */
export const WHOLE: ReadonlyMap<string, TerraformFunction> = new Map(TABLES.flatMap(({ whole }) => Object.entries(whole)));
export const SHALLOW: ReadonlyMap<string, TerraformFunction> = new Map(TABLES.flatMap(({ shallow }) => Object.entries(shallow)));
