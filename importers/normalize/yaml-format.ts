import { Readable } from 'node:stream';
import { isJson, readManifests, type ManifestItem } from '../readers/yaml/documents.js';
import { readHead } from '../readers/source.js';
import type { ImportItem, ReportFormat, ReportSource } from '../types.js';

/** The first document of a text in YAML. */
const firstOf = (head: string): string => head.split(/^---(?=\s|$).*$/m).find((text) => /^[^\s#]/m.test(text)) ?? '';

/** Characters that a document may come to once its aliases are written out, and what one of its values counts at least. */
const MOST = 64 * 1024 ** 2;
const LEAST = 8;

/** Whether a document can be written out: aliases may make one that is short in YAML long, or without an end. */
function isBounded(document: unknown): boolean {
  const stack = [document];
  for (let size = 0; stack.length > 0;) {
    const value = stack.pop();
    size += typeof value === 'string' ? value.length + LEAST : LEAST;
    if (size > MOST) return false;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      size += key.length;
      stack.push(inner);
    }
  }
  return true;
}

type Fault = Extract<ManifestItem, { kind: 'broken' | 'truncated' }>;

async function* documentsOf(source: ReportSource): AsyncGenerator<{ json: string } | Fault> {
  for await (const item of readManifests(source, '')) {
    if (item.kind !== 'document') yield item;
    else if (isBounded(item.value)) yield { json: JSON.stringify(item.value) };
    else yield { kind: 'broken', position: item.position, reason: `the document is larger than ${MOST} characters with its aliases` };
  }
}

/** The documents of a report in YAML as JSON: one as it is, several as a list of them. What cannot be read is left out. */
async function* asJson(source: ReportSource): AsyncGenerator<string> {
  let held: string | undefined;
  let isList = false;
  for await (const item of documentsOf(source)) {
    if (!('json' in item)) continue;
    if (held !== undefined) yield `${isList ? ',' : '['}${held}`;
    isList = held !== undefined;
    held = item.json;
  }
  yield `${isList ? ',' : ''}${held ?? ''}${isList ? ']' : ''}`;
}

/** What of a report in YAML cannot be read. */
async function* faultsOf(source: ReportSource): AsyncGenerator<ImportItem> {
  for await (const item of documentsOf(source)) if (!('json' in item)) yield item;
}

/**
 * A format of JSON whose tool writes the same as YAML, too: a document of it is held in memory, and may have 16 Mi characters.
 * @param mark fits the first document of such a report (of which the head may be cut), and of no other format's
 */
export function alsoYaml(json: ReportFormat, mark: RegExp): ReportFormat {
  const isYaml = (head: string): boolean => !isJson(head) && mark.test(firstOf(head));
  const sourceOf = async (source: ReportSource): Promise<ReportSource> => {
    if (!isYaml(await readHead(source))) return source;
    return {
      ...(source.maxBytes !== undefined && { maxBytes: source.maxBytes }),
      open: () => Readable.from(asJson(source), { objectMode: false }),
    };
  };
  const { observedAt } = json;
  return {
    ...json,
    detect: (head) => isYaml(head) || json.detect(head),
    ...(observedAt && { observedAt: async (source: ReportSource) => observedAt(await sourceOf(source)) }),
    async *read(source, options) {
      const told = await sourceOf(source);
      yield* json.read(told, options);
      if (told !== source) yield* faultsOf(source);
    },
  };
}
