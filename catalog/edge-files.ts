import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { EDGE_KINDS, PROVIDERS, type EdgeKind, type Provider } from '../schema/model.js';
import { parsePath } from './attribute-path.js';
import { TYPE_PREFIXES } from './resource-name.js';

/** What scanners and workloads name images of containers by; no provider has the type. */
export const CONTAINER_IMAGE = 'container_image';

/** One end of an edge: the resource itself, or the resources of some types that an attribute of it names. */
export interface EdgeEnd {
  readonly path: string;
  readonly types: readonly string[];
}

/** What an attribute of a resource type means: the edge that it makes. */
export interface EdgeLine {
  readonly provider: Provider;
  readonly type: string;
  readonly kind: EdgeKind;
  /** Null for the resource that has the attribute. */
  readonly from: EdgeEnd | null;
  readonly to: EdgeEnd | null;
}

const fileSchema = z.record(z.string(), z.record(z.string(), z.string()));
const MEANING = /^(\w+)(?:: ([\w, ]+))? (->|<-) ([\w, ]+)$/;
const typesIn = (text: string): string[] => text.split(', ');

/** The edge of a line: `path: kind -> types`, `path: kind <- types`, or `path + other path: kind: types -> types`. @throws where it is none */
function lineOf(provider: Provider, type: string, paths: string, meaning: string): EdgeLine {
  const [, kind, types, arrow, others] = MEANING.exec(meaning) ?? [];
  const [path, second, ...more] = paths.split(' + ');
  if (!path || !others || more.length > 0 || (second === undefined) !== (types === undefined))
    throw new Error('is not written as edges are');
  if (!(EDGE_KINDS as readonly string[]).includes(kind!)) throw new Error(`there is no kind ${kind}`);
  for (const one of [type, ...typesIn(others), ...typesIn(types ?? type)])
    if (!one.startsWith(TYPE_PREFIXES[provider]) && (one !== CONTAINER_IMAGE || one === type))
      throw new Error(`${one} is no type of ${provider}`);
  for (const one of [path, ...(second ? [second] : [])]) parsePath(one);
  const base = { provider, type, kind: kind as EdgeKind };
  if (second) return { ...base, from: { path, types: typesIn(types!) }, to: { path: second, types: typesIn(others) } };
  const end = { path, types: typesIn(others) };
  return arrow === '->' ? { ...base, from: null, to: end } : { ...base, from: end, to: null };
}

/**
 * Reads `<folder>/<provider>.yaml`: what attributes of resource types mean.
 * @param mistakes takes what is wrong with the files; what is right is still given back
 */
export function readEdges(folder: string, mistakes: string[]): EdgeLine[] {
  const lines: EdgeLine[] = [];
  for (const file of readdirSync(folder).sort()) {
    const provider = PROVIDERS.find((name) => file === `${name}.yaml`);
    const parsed = fileSchema.safeParse(load(readFileSync(join(folder, file), 'utf8')));
    if (!provider || !parsed.success) {
      mistakes.push(`edges/${file}: ${provider ? 'is no table of types and attributes' : 'is no file of a provider'}`);
      continue;
    }
    for (const [type, meanings] of Object.entries(parsed.data))
      for (const [paths, meaning] of Object.entries(meanings)) {
        try {
          lines.push(lineOf(provider, type, paths, meaning));
        } catch (error) {
          mistakes.push(`edges/${file}: ${type}.${paths}: ${(error as Error).message}`);
        }
      }
  }
  return lines;
}
