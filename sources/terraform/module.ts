import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSourceText, UnreadableText } from '../text.js';
import { parseJsonFile } from './json-syntax.js';
import { parseHclFile } from './parse.js';
import type { Block, Expression } from './syntax.js';

/** A resource or data source as it is written. */
export interface Declared {
  type: string;
  name: string;
  block: Block;
  /** The path of its file. */
  file: string;
}

/** What could not be read of a folder's files. */
export interface Fault {
  file: string;
  line: number;
  reason: string;
}

/** A module: what all files of Terraform in a folder declare together. */
export interface Module {
  folder: string;
  files: string[];
  resources: Map<string, Declared>;
  data: Map<string, Declared>;
  variables: Map<string, Block>;
  locals: Map<string, Expression>;
  outputs: Map<string, Block>;
  calls: Map<string, { block: Block; file: string }>;
  /** By their key: `aws`, `aws.west`. */
  providers: Map<string, Block>;
  faults: Fault[];
}

/** Whether a name is that of a file of Terraform's configuration. */
export const isTerraformFile = (name: string): boolean => /\.tf(?:\.json)?$/.test(name) && !/^\.|~$|^#/.test(name);
const isOverride = (name: string): boolean => /(?:^|_)override\.tf(?:\.json)?$/.test(name);

/** The module in a folder, read unless it was before. */
export function moduleIn(folder: string, known: Map<string, Module>): Module {
  let module = known.get(folder);
  if (module === undefined) known.set(folder, (module = loadModule(folder)));
  return module;
}

function loadModule(folder: string): Module {
  const names = readdirSync(folder).filter(isTerraformFile).sort();
  const ordered = [...names.filter((name) => !isOverride(name)), ...names.filter(isOverride)];
  return readModule(
    folder,
    ordered.map((name) => join(folder, name)),
  );
}

function readModule(folder: string, files: readonly string[]): Module {
  const module = emptyModule(folder);
  for (const file of files) {
    try {
      addFile(module, file, readSourceText(file));
    } catch (error) {
      if (error instanceof RangeError) module.faults.push({ file, line: 1, reason: 'it is nested too deep' });
      else if (error instanceof UnreadableText || (error as NodeJS.ErrnoException).code !== undefined)
        module.faults.push({ file, line: 1, reason: (error as Error).message });
      else throw error;
    }
  }
  return module;
}

/** A module of one text that comes from no file. */
export function moduleOfText(folder: string, file: string, text: string): Module {
  const module = emptyModule(folder);
  addFile(module, file, text);
  return module;
}

const emptyModule = (folder: string): Module => ({
  folder,
  files: [],
  resources: new Map(),
  data: new Map(),
  variables: new Map(),
  locals: new Map(),
  outputs: new Map(),
  calls: new Map(),
  providers: new Map(),
  faults: [],
});

function addFile(module: Module, file: string, text: string): void {
  const { body, faults } = file.endsWith('.json') ? parseJsonFile(text) : parseHclFile(text);
  module.files.push(file);
  module.faults.push(...faults.map((fault) => ({ file, ...fault })));
  for (const block of body.blocks) declare(module, block, file);
}

function declare(module: Module, block: Block, file: string): void {
  const [first = '', second = ''] = block.labels;
  if (block.type === 'resource' || block.type === 'data') {
    const declared = block.type === 'resource' ? module.resources : module.data;
    const key = `${first}.${second}`;
    const known = declared.get(key);
    if (known !== undefined && isOverride(file.replace(/^.*[\\/]/, ''))) override(known.block, block);
    else if (first !== '' && second !== '') declared.set(key, { type: first, name: second, block, file });
  } else if (block.type === 'variable') module.variables.set(first, block);
  else if (block.type === 'output') module.outputs.set(first, block);
  else if (block.type === 'module') module.calls.set(first, { block, file });
  else if (block.type === 'locals') for (const [name, value] of block.attributes) module.locals.set(name, value);
  else if (block.type === 'provider') {
    const alias = block.attributes.get('alias');
    module.providers.set(alias?.kind === 'literal' ? `${first}.${String(alias.value)}` : first, block);
  }
}

/** What an override file says takes the place of what stands there (Terraform, "Override Files"). */
function override(known: Block, by: Block): void {
  for (const [name, value] of by.attributes) known.attributes.set(name, value);
  const types = new Set(by.blocks.map(({ type }) => type));
  known.blocks = [...known.blocks.filter(({ type }) => !types.has(type)), ...by.blocks];
}
