import { existsSync, readFileSync } from 'node:fs';
import { statementsOf } from '../../cel/policy.js';
import type { Document } from './estate.js';

const FOLDER = new URL('../managed/', import.meta.url);

const texts = new Map<string, ReadonlyMap<string, string>>();
const documents = new Map<string, Document>();

/** The names of the policies that a provider writes, each with its document as text. */
export function managedPolicies(provider: string): ReadonlyMap<string, string> {
  const known = texts.get(provider);
  if (known !== undefined) return known;
  const file = new URL(`${provider}.tsv`, FOLDER);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const read = new Map(lines.map((line): [string, string] => [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)]));
  texts.set(provider, read);
  return read;
}

/**
 * What a policy that a provider writes says (`catalog/access/managed/`); undefined for one that is not there.
 * @param name with its path: `service-role/AWSLambdaRole` @param uid how statements name it
 */
export function managedDocument(provider: string, name: string, uid: string): Document | undefined {
  const key = `${provider} ${uid}`;
  const known = documents.get(key);
  if (known !== undefined) return known;
  const text = managedPolicies(provider).get(name);
  if (text === undefined) return undefined;
  const statements = statementsOf(text).map((statement, n) => ({ uid, label: statement.sid ?? `Statement[${n}]`, statement }));
  const document: Document = { statements, unseen: [] };
  documents.set(key, document);
  return document;
}
