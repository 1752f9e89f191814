import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));

/** Ways to another engine that carry any operation, instead of one that is checked at start. */
const BARE = /\bcaller\s*\.\s*call\b|\bcallEngine\b|\b_service\b/;

it('no engine calls another one but through a read model, the findings reader or a declared operation', () => {
  expect(sources('subgraphs').filter((file) => BARE.test(readFileSync(file, 'utf8')))).toEqual([]);
});

it('in the kit nothing else calls an engine', () => {
  const calling = sources('kit').filter((file) => BARE.test(readFileSync(file, 'utf8')));
  expect(calling.sort()).toEqual([
    'kit/engine/call-engine.ts',
    'kit/engine/operation.ts',
    // says what Apollo adds to a schema
    'kit/engine/schema.ts',
    'kit/read/read-model.ts',
  ]);
});
