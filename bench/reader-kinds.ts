import type { ReportSource } from '../importers/types.js';
import { readCsv } from '../importers/readers/csv/records.js';
import { readJson } from '../importers/readers/json/records.js';
import { readJsonLines } from '../importers/readers/lines/json-lines.js';
import { readTextLines } from '../importers/readers/lines/text-lines.js';
import { readXml } from '../importers/readers/xml/records.js';
import { readManifests } from '../importers/readers/yaml/documents.js';
import { readHead } from '../importers/readers/source.js';

/** A kind of report that is read as a stream: how a large one is made, and how its records are read. */
export interface ReaderKind {
  readonly before: string;
  readonly record: (n: number) => string;
  readonly after: string;
  readonly read: (source: ReportSource) => AsyncIterable<{ kind: string }>;
}

const told = 'It is told at length. '.repeat(20);
const json = (n: number) =>
  JSON.stringify({ id: n, rule: `rule-${n % 300}`, place: { file: `src/file-${n % 5000}.ts`, line: n }, text: told });

export const READER_KINDS: Readonly<Record<string, ReaderKind>> = {
  JSON: {
    before: '{"results":[',
    record: (n) => `${n === 0 ? '' : ','}${json(n)}`,
    after: ']}',
    read: (source) => readJson(source, ['results[*]']),
  },
  'JSON lines': { before: '', record: (n) => `${json(n)}\n`, after: '', read: (source) => readJsonLines(source) },
  XML: {
    before: '<report><host name="a">',
    record: (n) => `<item id="${n}" severity="${n % 5}"><title>Finding ${n}</title><text>${told}</text></item>\n`,
    after: '</host></report>',
    read: (source) => readXml(source, ['report/host/item']),
  },
  CSV: {
    before: 'id,severity,host,text\n',
    record: (n) => `${n},${n % 5},host-${n % 50},"${told}"\n`,
    after: '',
    read: (source) => readCsv(source, { columns: ['id', 'severity'] }),
  },
  text: { before: '', record: (n) => `warning[]=RULE-${n}|${told}|\n`, after: '', read: (source) => readTextLines(source) },
  YAML: {
    before: '',
    record: (n) => `---\nkind: Pod\nmetadata:\n  name: pod-${n}\n  annotations: { text: "${told}" }\n`,
    after: '',
    read: manifests,
  },
};

async function* manifests(source: ReportSource): AsyncGenerator<{ kind: string }> {
  yield* readManifests(source, await readHead(source));
}
