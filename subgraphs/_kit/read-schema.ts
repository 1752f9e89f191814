import { readFileSync } from 'node:fs';

/** The text of the `schema.graphql` beside a module. @param moduleUrl the module's `import.meta.url` */
export const readSchema = (moduleUrl: string): string => readFileSync(new URL('./schema.graphql', moduleUrl), 'utf8');
