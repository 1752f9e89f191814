import { outlineJson, type JsonOutline } from '../readers/json/outline.js';
import { readHead } from '../readers/source.js';
import { NotOfFormat, type ReportSource } from '../types.js';

/** What a format's report begins with. */
export interface HeadRules {
  /** For the message: `a SARIF log ({"runs": [...]})`. */
  expected: string;
  roots: readonly ('array' | 'object')[];
  /** Whether the outline speaks for the format. */
  detect(outline: JsonOutline): boolean;
  /** Outline paths of which a report that has elements shows at least one. */
  markers: readonly string[];
  /** Outline paths of the elements: while none is seen nothing speaks against the format. */
  elements: readonly string[];
}

/**
 * Looks at the beginning of a report before it is read. Throws NotOfFormat when it is no JSON, begins with the wrong bracket,
 * or shows elements without any mark of the format. Returns whether it surely is of the format.
 */
export async function checkHead(source: ReportSource, rules: HeadRules): Promise<boolean> {
  const head = await readHead(source);
  const first = head
    .replace(/^\uFEFF/, '')
    .trimStart()
    .charAt(0);
  const root = first === '[' ? 'array' : first === '{' ? 'object' : undefined;
  if (root === undefined) throw new NotOfFormat(`expected ${rules.expected}, found ${first === '' ? 'nothing' : 'no JSON'}`);
  if (!rules.roots.includes(root)) throw new NotOfFormat(`expected ${rules.expected}, found an ${root}`);
  const outline = outlineJson(head);
  if (rules.detect(outline)) return true;
  const hasElements = rules.elements.some((path) => outline.has(path));
  if (hasElements && !rules.markers.some((path) => outline.has(path)))
    throw new NotOfFormat(`expected ${rules.expected}, found other records`);
  return false;
}
