import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { composeEngines, fingerprintOf } from '../gateway/graph/supergraph.js';
import { importers } from '../importers/index.js';
import { version } from '../processes/version.js';
import { createRestApi } from '../rest/api.js';
import { createOpenApi } from '../rest/openapi.js';
import { readExamples, type Examples } from '../rest/openapi-examples.js';
import { engines } from '../subgraphs/index.js';
import { takeExamples } from './examples/take.js';
import { formatsPage } from './formats-page.js';
import { parseFigures, readDoubts, readSamples, writeFigures } from './sample-figures.js';

// Writes what is generated from the lists: the supergraph, the examples, which the demo gives, the merged OpenAPI document, the page of report
// formats, and the figures of real reports on it, which stay as they are where there are none beside the checkout. With --check it writes nothing and
// ends with 1 when a committed file is not what would be written; the examples stay those that are committed, and their test holds them against the
// schemas. Run from the root of the project.
const { values } = parseArgs({ options: { check: { type: 'boolean' } }, strict: true });

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

async function newExamples(): Promise<Examples> {
  const { examples, problems } = await takeExamples(createOpenApi(api, engines, { version, examples: {} }));
  for (const problem of problems) console.error(`no example: ${problem}`);
  return examples;
}

const { sdl, apiSchema } = composeEngines(engines);
const api = await createRestApi(apiSchema, engines);
const examples = values.check ? readExamples() : await newExamples();
const FIGURES = join('scripts', 'sample-figures.tsv');
const figures = (await readSamples(join('..', 'shared', 'data', 'samples'))) ?? parseFigures(read(FIGURES) ?? '');
const generated = [
  [join('schema', 'supergraph.graphql'), `${fingerprintOf(engines)}\n${sdl.trimEnd()}\n`],
  [join('schema', 'openapi-examples.json'), `${JSON.stringify(examples, null, 2)}\n`],
  [join('schema', 'openapi.json'), `${JSON.stringify(createOpenApi(api, engines, { version, examples }), null, 2)}\n`],
  [join('docs', 'formats.md'), formatsPage(importers, figures, readDoubts(join('test', 'importers', 'fixtures')))],
  [FIGURES, writeFigures(figures)],
] as const;

for (const [path, text] of generated) {
  if (!values.check) writeFileSync(path, text);
  else if (read(path) !== text) {
    console.error(`${path} is stale: run npm run generate`);
    process.exitCode = 1;
  }
}
