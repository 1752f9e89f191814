import { readFileSync } from 'node:fs';
import type { AssetInput } from '../../importers/index.js';
import { commentsOf, type Comment } from '../../sources/comments.js';
import type { InventorySource, Place } from '../../sources/types.js';
import { ANNOTATION, ignoreOfComment, parseIgnore, type Ignore } from './ignore.js';

const OURS = /(?:#|\/\/|\/\*)\s*palisade:ignore\b/;

interface Written {
  line: number;
  ignore: Ignore;
}

/** What the sources say is to be left alone, by resource: comments in and above its block or document, and its annotation. */
export class IgnoredInSource {
  /** Comments that do not say what they mean, or name a rule that there is none of, each once. */
  readonly faults: string[] = [];
  private readonly files = new Map<string, Written[]>();
  private readonly texts = new Map<string, string[]>();
  /** What is wrong with names that were asked for. */
  private readonly known = new Map<string, string | undefined>();

  /** @param faultOf what is wrong with the name of a rule, or a glob */
  constructor(private readonly faultOf: (name: string) => string | undefined) {}

  of(source: InventorySource, asset: AssetInput, place: Place): Ignore[] {
    const annotated = this.annotation(asset, place);
    if (place.line === undefined) return annotated;
    const written = this.written(source, place.file);
    if (written.length === 0) return annotated;
    const [from, to] = source.isCode ? this.blockOf(place) : this.documentOf(place.file, place.line);
    return [...annotated, ...written.filter(({ line }) => line >= from && line <= to).map(({ ignore }) => ignore)];
  }

  private written(source: InventorySource, file: string): Written[] {
    let known = this.files.get(file);
    if (known === undefined) {
      const comments = source.name === '-' ? [] : this.comments(file);
      known = comments.flatMap(({ line, text }) => this.take(ignoreOfComment(text), `${file}:${line}`).map((ignore) => ({ line, ignore })));
      this.files.set(file, known);
    }
    return known;
  }

  /** Comments of ours: each is the rest of its line. */
  private comments(file: string): Comment[] {
    const lines = this.linesOf(file);
    if (!lines.some((line) => OURS.test(line))) return [];
    return commentsOf(file, lines.join('\n')).flatMap(({ line, text }) =>
      text.split('\n').flatMap((part, n) => {
        const at = part.search(OURS);
        return at < 0 ? [] : [{ line: line + n, text: part.slice(at) }];
      }),
    );
  }

  /** A block, with the lines of comments directly above it. */
  private blockOf({ file, line = 1, endLine = line }: Place): [number, number] {
    const lines = this.linesOf(file);
    let from = line;
    while (from > 1 && /^\s*(?:#|\/\/)/.test(lines[from - 2] ?? '')) from -= 1;
    return [from, endLine];
  }

  /** The YAML document in which a line stands. */
  private documentOf(file: string, line: number): [number, number] {
    const lines = this.linesOf(file);
    const isMark = (n: number): boolean => /^---(?:\s|$)/.test(lines[n - 1] ?? '');
    let [from, to] = [line, line];
    while (from > 1 && !isMark(from)) from -= 1;
    while (to < lines.length && !isMark(to + 1)) to += 1;
    return [from, to];
  }

  private annotation({ configuration, provider }: AssetInput, place: Place): Ignore[] {
    if (provider !== 'k8s') return [];
    const metadata = configuration['metadata'];
    const inner: unknown = Array.isArray(metadata) ? metadata[0] : metadata;
    const annotations: unknown = typeof inner === 'object' && inner !== null && 'annotations' in inner ? inner.annotations : undefined;
    if (typeof annotations !== 'object' || annotations === null || !Object.hasOwn(annotations, ANNOTATION)) return [];
    const text = (annotations as Record<string, unknown>)[ANNOTATION];
    if (typeof text !== 'string') return [];
    return text
      .split(';')
      .filter((part) => part.trim() !== '')
      .flatMap((part) => this.take(parseIgnore(part), `${place.file}${place.line === undefined ? '' : `:${place.line}`}`));
  }

  private take(ignore: Ignore | string | undefined, at: string): Ignore[] {
    if (ignore === undefined) return [];
    const faults = typeof ignore === 'string' ? [ignore] : ignore.names.flatMap((name) => this.faultOfKnown(name) ?? []);
    for (const fault of faults.map((text) => `${at}: ${text}`)) if (!this.faults.includes(fault)) this.faults.push(fault);
    return typeof ignore === 'string' ? [] : [ignore];
  }

  private faultOfKnown(name: string): string | undefined {
    if (!this.known.has(name)) this.known.set(name, this.faultOf(name));
    return this.known.get(name);
  }

  private linesOf(file: string): string[] {
    let lines = this.texts.get(file);
    if (lines === undefined) this.texts.set(file, (lines = readLines(file)));
    return lines;
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    // it was read before; what is gone since has no comments
    return [];
  }
}
