import { parseDocument, visit, type Document, type Tags } from 'yaml';
import { readJson } from '../json/records.js';
import { damageOf, isDamage } from '../source.js';
import { redactText } from '../../../redaction/redact.js';
import { readTopLevel } from '../json/top-level.js';
import type { ReportSource } from '../../types.js';

/** One document of a manifest, or what is wrong with it. `position` is `line 12`, `items[3]`. */
export type ManifestItem =
  | { kind: 'document'; value: unknown; position: string; line?: number }
  | { kind: 'broken'; position: string; reason: string }
  | { kind: 'truncated'; position: string; reason: string };

const MAX_DOCUMENT_CHARS = 16 * 1024 ** 2;
/** Aliases a document may resolve to; a bomb has millions. */
const MAX_ALIASES = 100;
/** Aliases in the text of a document, which are resolved in a time that grows with their square. */
const MAX_WRITTEN_ALIASES = 500;
const TEMPLATE = /\{\{[-\s]*[.\w$]/;
const MAX_REPAIRS = 50;
const INDENT = 200;

// Kubernetes reads YAML 1.1 (`yes` is true, 0644 is octal) without its dates, binaries and base-60 numbers.
const withoutExtras = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !/:(?:timestamp|binary|set|omap|pairs)$/.test(tag.tag)));

/** How YAML is read that is not of this program. */
export const YAML_OPTIONS = {
  schema: 'yaml-1.1',
  customTags: withoutExtras,
  merge: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** Whether a manifest is JSON by its first characters; `{{` starts a Helm template. */
export function isJson(head: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*[{\]])/.test(head);
}

/** The documents of a manifest: YAML documents between `---`, a JSON object, a JSON list's items. One in memory at a time. */
export async function* readManifests(source: ReportSource, head: string): AsyncGenerator<ManifestItem> {
  if (!isJson(head)) {
    yield* readYaml(source);
    return;
  }
  const top = readTopLevel(head);
  const isList = top.get('items')?.startsWith('[') === true;
  // The items of a typed list (`DeploymentList`) may leave their kind to the list.
  const kind = /^"(\w+)List"/.exec(top.get('kind') ?? '')?.[1];
  const apiVersion = /^"([\w./-]+)"/.exec(top.get('apiVersion') ?? '')?.[1];
  for await (const item of readJson(source, isList ? ['items[*]', '$[*]'] : ['$', '$[*]'])) {
    if (item.kind === 'array') continue;
    if (item.kind !== 'value') yield { kind: item.kind, position: item.position, reason: item.reason };
    else if (isList && kind !== undefined && typeof item.value === 'object') {
      yield { kind: 'document', value: { apiVersion, kind, ...item.value }, position: item.position };
    } else yield { kind: 'document', value: item.value, position: item.position };
  }
}

async function* readYaml(source: ReportSource): AsyncGenerator<ManifestItem> {
  let lines: string[] = [];
  let chars = 0;
  let first = 1;
  let line = 0;
  try {
    for await (const text of readLines(source)) {
      line++;
      // A mark at the start of a line always ends a document: text inside a block is indented (YAML 1.2, 9.1.2).
      if (/^(?:---|\.\.\.)(?:\s|$)/.test(text)) {
        yield* parseYaml(lines, chars, first);
        const rest = text.startsWith('---') ? text.slice(3) : '';
        lines = [rest];
        chars = rest.length;
        first = line;
      } else {
        chars += text.length + 1;
        if (chars <= MAX_DOCUMENT_CHARS) lines.push(text);
      }
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    // The document that the damage met is not whole, and half of one would be another.
    yield { kind: 'truncated', position: `line ${line + 1}`, reason: damageOf(error) };
    return;
  }
  yield* parseYaml(lines, chars, first);
}

/** The lines of a report. Of one that is longer than a document may be, as much comes as shows that it is. */
async function* readLines(source: ReportSource): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of source.open() as AsyncIterable<Buffer>) {
    const text = decoder.decode(chunk, { stream: true }).split(/\r?\n/);
    for (const [i, part] of text.entries()) {
      if (length <= MAX_DOCUMENT_CHARS) parts.push(part);
      length += part.length;
      if (i === text.length - 1) continue;
      yield parts.join('').replace(/\r$/, '');
      parts = [];
      length = 0;
    }
  }
  yield parts.join('') + decoder.decode();
}

function* parseYaml(lines: readonly string[], chars: number, first: number): Generator<ManifestItem> {
  const start = lines.findIndex((line) => !/^\s*(?:#|%|$)/.test(line));
  if (start === -1) return;
  const position = `line ${first + start}`;
  if (chars > MAX_DOCUMENT_CHARS) {
    yield { kind: 'broken', position, reason: `the document is larger than ${MAX_DOCUMENT_CHARS} characters` };
    return;
  }
  const text = lines.join('\n');
  try {
    const document = parseLenient(text);
    const error = document.errors[0];
    if (error !== undefined) {
      const line = first + (text.slice(0, error.pos[0]).match(/\n/g)?.length ?? 0);
      yield { kind: 'broken', position: `line ${line}`, reason: faultOf(text, error.message) };
      return;
    }
    if (aliasesIn(document) > MAX_WRITTEN_ALIASES) {
      yield { kind: 'broken', position, reason: `the document has more than ${MAX_WRITTEN_ALIASES} aliases` };
      return;
    }
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (TEMPLATE.test(text) && holdsTemplate(value)) yield { kind: 'broken', position, reason: faultOf(text, '') };
    else if (value !== null && value !== undefined) yield { kind: 'document', value, position, line: first + start };
  } catch (error) {
    yield { kind: 'broken', position, reason: faultOf(text, error instanceof Error ? error.message : 'cannot be read') };
  }
}

function aliasesIn(document: Document.Parsed): number {
  let count = 0;
  visit(document, {
    Alias: () => {
      count++;
    },
  });
  return count;
}

function parseLenient(text: string): Document.Parsed {
  let current = text;
  for (let repairs = 0; ; repairs++) {
    const document = parseDocument(current, YAML_OPTIONS);
    const error = document.errors[0];
    const repaired = error?.code === 'MISSING_CHAR' && repairs < MAX_REPAIRS ? indentQuoted(current, error.pos[0]) : undefined;
    if (repaired === undefined) return document;
    current = repaired;
  }
}

/**
 * Indents the lines of a quoted text that ends at `at` for being indented too little. Kubernetes takes such text, and leading space
 * is no part of a folded line (YAML 1.2, 7.3.1), so its value stays.
 */
function indentQuoted(text: string, at: number): string | undefined {
  const open = Math.max(text.lastIndexOf('"', at - 1), text.lastIndexOf("'", at - 1));
  const quote = text.charAt(open);
  const rest = quote === '"' ? /^(?:[^"\\]|\\[^])*"/.exec(text.slice(open + 1)) : /^[^']*'/.exec(text.slice(open + 1));
  if (open === -1 || rest === null) return undefined;
  const indented = rest[0].replace(/\n[ \t]*/g, `\n${' '.repeat(INDENT)}`);
  return indented === rest[0] ? undefined : text.slice(0, open + 1) + indented + text.slice(open + 1 + rest[0].length);
}

/** Whether `{{ .Values.name }}` was read as an object: unquoted, it is one in YAML. */
function holdsTemplate(value: unknown): boolean {
  const stack = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      if (/^\{ .*\}$/s.test(key)) return true;
      stack.push(inner);
    }
  }
  return false;
}

function faultOf(text: string, message: string): string {
  if (TEMPLATE.test(text)) return 'the document is a Helm template: render it with helm template first';
  return redactText(`the document is not valid YAML: ${message}`.replace(/\s+/g, ' ').slice(0, 300));
}
