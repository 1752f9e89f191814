import { findCsvHeader } from './readers/csv/header.js';
import type { JsonOutline } from './readers/json/outline.js';
import { outlineXml } from './readers/xml/outline.js';

const MOST_NAMES = 8;
const MAX_NAME = 40;
/** A line of a log may begin with a bracket, too, behind which no value of JSON stands. */
const JSON_BEGIN = /^\s*(?:\{|\[\s*(?:[[{"\]]|(?:-?\d[\d.eE+-]*|true|false|null)\s*[,\]]))/;
/** An empty list, or an object with nothing but such a list. */
const HOLDS_NOTHING = /^\s*(?:\[\s*\]|\{\s*"[\w-]{1,40}"\s*:\s*(?:\[\s*\]|null)\s*\})\s*$/;

/**
 * What an upload is that nothing is known of, by what it is made of: the root of XML, the members of JSON, the header of CSV. Of other text
 * nothing is told, because it may be anything.
 * @param head its first bytes, decompressed
 * @param text the same as text, or its beginning
 * @param outline what its members are, of JSON
 */
export function shapeOf(head: Buffer, text: string, outline: JsonOutline): string {
  if (text.trim() === '') return head.length === 0 ? 'the file is empty' : 'the file holds nothing but white space';
  if (isBinary(head)) return 'this is no text but bytes of an unknown kind';
  const html = /^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype\s+html|html)\b/i.exec(text);
  if (html !== null) {
    const title = /<title[^>]{0,100}>([^<]{1,300})<\/title>/i.exec(text)?.[1]?.replace(/\s+/g, ' ').trim();
    const named = title === undefined ? 'an HTML page' : `an HTML page, “${cut(title, 2 * MAX_NAME)}”`;
    return `this is ${named}: export the findings in a format that programs read, as JSON, XML or CSV`;
  }
  const xml = outlineXml(text);
  if (xml !== undefined) {
    const namespace = xml.namespace === '' ? '' : ` of the namespace ${cut(xml.namespace, 2 * MAX_NAME)}`;
    return `this is XML with the root <${cut(xml.root)}>${namespace}, which no format has`;
  }
  return jsonShape(text, outline) ?? yamlShape(text) ?? csvShape(text) ?? 'this is text of an unknown kind';
}

function jsonShape(text: string, outline: JsonOutline): string | undefined {
  if (outline.size === 0 || !JSON_BEGIN.test(text)) return undefined;
  const first = text.trimStart().charAt(0);
  const prefix = first === '[' ? '[].' : '';
  const names = [...outline.keys()].filter(
    (path) => path.startsWith(prefix) && !/[.[\]!]/.test(path.slice(prefix.length)) && path !== prefix,
  );
  const what = first === '[' ? 'a JSON list' : 'a JSON object';
  if (HOLDS_NOTHING.test(text))
    return `this is ${what} in which nothing is found, as many tools write it: say by format of which one it is`;
  if (names.length === 0) return `this is ${what} ${first === '[' ? 'without objects' : 'without members'}, which no format is`;
  return `this is ${what} ${first === '[' ? 'of objects with' : 'with'} the members ${listed(names.map((name) => name.slice(prefix.length)))}, which no format has together`;
}

function yamlShape(text: string): string | undefined {
  const names = [...text.matchAll(/^([A-Za-z_][\w.-]*):(?:\s|$)/gm)].map(([, name]) => name as string);
  const lines = text.split('\n').filter((line) => /\S/.test(line)).length;
  // prose has a colon here and there; settings have them in most lines that are not indented
  const flush = text.split('\n').filter((line) => /^[^\s#-]/.test(line)).length;
  if (names.length === 0 || names.length * 2 < flush || lines < 2) return undefined;
  return `this is YAML with the members ${listed([...new Set(names)])}, which no format has together`;
}

function csvShape(text: string): string | undefined {
  const header = findCsvHeader(text, { columns: [] });
  if (header === undefined || header.columns.length < 3) return undefined;
  const second = Buffer.from(text).toString('utf8', header.end).split('\n', 1)[0] ?? '';
  if (second.split(header.delimiter).length < 3) return undefined;
  return `this is CSV with the columns ${listed(header.columns)}, which no format has together`;
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const named = names.slice(0, MOST_NAMES).map((name) => cut(name));
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const cut = (text: string, length = MAX_NAME): string => (text.length > length ? `${text.slice(0, length)}…` : text);

/** Whether bytes are no text: a NUL, or more than a tenth of control characters and of bytes that are no UTF-8. */
function isBinary(head: Buffer): boolean {
  const sample = head.subarray(0, 4_096);
  if (sample.includes(0)) return true;
  // the escape that terminals' colours begin with is of text, too
  const text = sample.toString('utf8').replaceAll('\u001b', '');
  const odd = text.match(/(?![\t-\r\u007f-\u009f])\p{Cc}|\ufffd/gu)?.length ?? 0;
  return odd * 10 > sample.length;
}
