import { readFileSync } from 'node:fs';

/** The text of the `schema.graphql` beside a module. @param moduleUrl the module's `import.meta.url` */
export const readSchema = (moduleUrl: string): string => readFileSync(new URL('./schema.graphql', moduleUrl), 'utf8');

/** Types of the shared contract that several engines give: `schema/<name>.graphql`. */
export const readSharedSchema = (name: 'findings' | 'triage' | 'job'): string =>
  readFileSync(new URL(`../../schema/${name}.graphql`, import.meta.url), 'utf8');
