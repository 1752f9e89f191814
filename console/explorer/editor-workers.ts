/** The editor's workers, by the name of what they know; all else is the plain editor's. The build puts them beside this file (scripts/build/pages.mjs). */
const WORKERS: Readonly<Record<string, string>> = { graphql: './graphql.worker.js', json: './json.worker.js' };

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_id: string, label: string) =>
      new Worker(new URL(WORKERS[label] ?? './editor.worker.js', import.meta.url), { type: 'module', name: label }),
  },
});
