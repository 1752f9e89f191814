import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';
import { isItem, type Item } from '../../importers/cloud/item.js';
import { NoTemplate } from '../no-template.js';

/** A resource as it is written. */
export interface ArmResource {
  /** The name by which templates of the newer form speak of it. */
  symbol: string | undefined;
  value: Item;
  /** The resource that it stands in. */
  within: ArmResource | undefined;
  lines: { line: number; endLine: number } | undefined;
}

export interface ArmTemplate {
  value: Item;
  resources: ArmResource[];
}

/** Whether the first bytes of a file are those of a template of Azure's Resource Manager. */
export const isArmTemplate = (head: string): boolean =>
  /^\s*\{/.test(head) && /"\$schema"\s*:\s*"https?:\/\/schema\.management\.azure\.com\/[^"]*deploymentTemplate\.json/i.test(head);

/** Reads a template. @throws NoTemplate */
export function parseArmTemplate(text: string): ArmTemplate {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new NoTemplate(`it is no JSON (comments are not read): ${(error as Error).message.slice(0, 200)}`);
  }
  if (!isItem(value) || !(isItem(value.resources) || Array.isArray(value.resources))) throw new NoTemplate('it has no resources');
  const counter = new LineCounter();
  // JSON is YAML, whose parser says where things stand
  const { contents } = parseDocument(text, { lineCounter: counter, logLevel: 'silent', prettyErrors: false, uniqueKeys: false });
  return { value, resources: resourcesOf(value.resources, memberOf(contents, 'resources'), undefined, counter) };
}

const memberOf = (node: unknown, name: string): Node | undefined => {
  const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
  return isMap(pair?.value) || isSeq(pair?.value) ? pair.value : undefined;
};

function resourcesOf(value: unknown, node: unknown, within: ArmResource | undefined, counter: LineCounter): ArmResource[] {
  const entries: [string | undefined, unknown, unknown][] = Array.isArray(value)
    ? (value as unknown[]).map((one, n) => [undefined, one, isSeq(node) ? node.items[n] : undefined])
    : isItem(value)
      ? Object.entries(value).map(([symbol, one]) => [symbol, one, memberOf(node, symbol)])
      : [];
  return entries.flatMap(([symbol, one, at]) => {
    if (!isItem(one)) return [];
    const range = isMap(at) ? at.range : undefined;
    const lines = range ? { line: counter.linePos(range[0]).line, endLine: counter.linePos(Math.max(0, range[1] - 1)).line } : undefined;
    const resource: ArmResource = { symbol, value: one, within, lines };
    return [resource, ...resourcesOf(one.resources, memberOf(at, 'resources'), resource, counter)];
  });
}
