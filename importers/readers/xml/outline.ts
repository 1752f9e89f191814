import { XmlParser } from './parser.js';

/** What the beginning of an XML text shows, for telling formats apart. Names are local names. */
export interface XmlOutline {
  /** The name of the root element. */
  readonly root: string;
  /** The namespace of the root element; empty for none. */
  readonly namespace: string;
  /**
   * The paths of the first levels below the root, by local names: `ReportHost/ReportItem`, with the first short text seen at each, and of
   * attributes `@version`, `ReportHost/@name`.
   */
  readonly paths: ReadonlyMap<string, string>;
}

const MAX_LEVELS = 5;
const MAX_PATHS = 2_000;
/** Values longer than this are of no use for telling formats apart. */
const MAX_VALUE = 200;

class Enough extends Error {}

let last: { head: string; outline: XmlOutline | undefined } | undefined;

/**
 * The outline of a report's head, for format detection. Reads as far as the text is XML, so a head that was cut anywhere gives what stands
 * before the cut; undefined when there is no whole tag of a root element.
 */
export function outlineXml(head: string): XmlOutline | undefined {
  if (last?.head === head) return last.outline;
  const outline = /^\uFEFF?\s*</.test(head) ? buildOutline(head) : undefined;
  last = { head, outline };
  return outline;
}

function buildOutline(head: string): XmlOutline | undefined {
  let root: string | undefined;
  let namespace = '';
  const paths = new Map<string, string>();
  const open: string[] = [];
  const parser = new XmlParser((message) => {
    // a fault of the text matters to who reads it; one of its structure ends what can be told apart
    if (/tag|attribute|root|processing|syntax|comment/.test(message) && !message.startsWith('duplicate')) throw new Enough();
  });
  const note = (path: string, value: string) => {
    const known = paths.get(path);
    if (known === undefined ? paths.size < MAX_PATHS : known === '') paths.set(path, value.length > MAX_VALUE ? '' : value.trim());
  };
  parser.on('opentag', ({ name, attributes }) => {
    const local = name.slice(name.indexOf(':') + 1);
    if (root === undefined) {
      root = local;
      namespace = attributes[local === name ? 'xmlns' : `xmlns:${name.slice(0, name.indexOf(':'))}`] ?? '';
    } else open.push(local);
    if (open.length > MAX_LEVELS) return;
    const path = open.join('/');
    if (path !== '') note(path, '');
    for (const attribute in attributes) note(path === '' ? `@${attribute}` : `${path}/@${attribute}`, attributes[attribute] as string);
  });
  parser.on('text', (text) => {
    if (open.length > 0 && open.length <= MAX_LEVELS) note(open.join('/'), text);
  });
  parser.on('closetag', () => open.pop());
  try {
    parser.write(head);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return root === undefined ? undefined : { root, namespace, paths };
}
