import { Surroundings } from '../../normalize/json-format.js';
import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { coverage } from '../../normalize/scope.js';
import { findCsvHeader } from '../../readers/csv/header.js';
import { readCsv, type CsvRules } from '../../readers/csv/records.js';
import { textAt, type JsonObject } from '../../readers/json/fields.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readJson } from '../../readers/json/records.js';
import { readHead } from '../../readers/source.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from '../../types.js';
import { readFinding, type TlsServer } from './finding.js';

const CSV: CsvRules = { columns: ['id', 'fqdn/ip', 'port', 'severity', 'finding'] };
const FLAT = ['id', 'ip', 'port', 'severity', 'finding'].map((name) => `[].${name}`);
/** The lists of what was found, of version 2.9 to 3.2. */
const SECTIONS = [
  'pretest',
  'singleCipher',
  'protocols',
  'grease',
  'ciphers',
  'pfs',
  'fs',
  'serverPreferences',
  'serverDefaults',
  'headerResponse',
  'vulnerabilities',
  'cipherTests',
  'browserSimulations',
  'clientSimulation',
  'rating',
].map((section) => `scanResult[*].${section}[*]`);
const SERVER = ['targetHost', 'ip', 'port'] as const;

const isFlat = (outline: JsonOutline): boolean => FLAT.every((path) => outline.has(path));
const isPretty = (outline: JsonOutline): boolean =>
  outline.has('scanResult') && (outline.has('Invocation') || outline.has('scanResult[].targetHost'));
const isJson = (head: string): boolean => /^\uFEFF?[ \t\r\n]{0,1000}[[{]/.test(head);

/** Results of testssl.sh in JSON, in JSON by sections, and in CSV. What one check says of one server is one record. */
export const format: ReportFormat = {
  name: 'testssl',
  label: 'testssl.sh JSON and CSV',
  engines: ['encryption'],
  detection:
    'A JSON array of objects with `id`, `ip`, `port`, `severity` and `finding`, a JSON object with `scanResult` of servers, or a CSV report with these columns.',
  produce: 'testssl.sh --jsonfile testssl.json https://shop.example.com',
  outsideClouds: true,
  detect: (head) => isFlat(outlineJson(head)) || isPretty(outlineJson(head)) || findCsvHeader(head, CSV) !== undefined,
  async *read(source, options) {
    const items = new ReportItems();
    const seen = new Servers();
    let isWhole = true;
    for await (const item of (await isPrettyReport(source))
      ? bySections(source, seen, options, items)
      : oneByOne(source, seen, options, items)) {
      isWhole &&= item.kind !== 'truncated';
      yield item;
    }
    if (isWhole) for (const artifact of seen.whole) yield coverage('encryption', artifact, 'testssl', options);
  },
};

/** Servers of a report, and those of which some check could not be made: what that one would say is open. */
class Servers {
  private readonly all = new Set<string>();
  private readonly unsure = new Set<string>();

  note(artifact: string, isSure: boolean): void {
    this.all.add(artifact);
    if (!isSure) this.unsure.add(artifact);
  }

  get whole(): string[] {
    return [...this.all].filter((artifact) => !this.unsure.has(artifact));
  }
}

async function isPrettyReport(source: ReportSource): Promise<boolean> {
  const head = await readHead(source);
  const outline = outlineJson(head);
  if (isPretty(outline)) return true;
  if (isFlat(outline) || !isJson(head)) return false;
  if (outline.has('scanResult')) return true;
  if (!outline.has('[]!') && !outline.has('!')) return false;
  throw new NotOfFormat('expected results of testssl.sh, found other JSON');
}

async function* oneByOne(source: ReportSource, seen: Servers, options: ImportOptions, items: ReportItems): AsyncIterable<ImportItem> {
  const convert = (record: JsonObject, { position }: { position: string }): ImportItem[] => {
    const [host, ip] = (textAt(record, 'ip') ?? textAt(record, 'fqdn/ip') ?? '').split('/');
    const server = { host, ip, port: textAt(record, 'port') };
    return readFinding(record, server, position, (artifact, isSure) => seen.note(artifact, isSure), options, items);
  };
  if (isJson(await readHead(source))) yield* importRecords(readJson(source, ['$[*]']), convert);
  else yield* importRecords(readCsv(source, CSV), convert);
}

async function* bySections(source: ReportSource, seen: Servers, options: ImportOptions, items: ReportItems): AsyncIterable<ImportItem> {
  const around = await Surroundings.read(
    source,
    SERVER.map((name) => `scanResult[*].${name}`),
  );
  const servers = new Map<number, Record<string, unknown>>();
  for (const name of SERVER)
    for (const { indices, value } of around.all(`scanResult[*].${name}`))
      servers.set(indices[0] as number, { ...servers.get(indices[0] as number), [name]: value });
  yield* importRecords(readJson(source, SECTIONS), (record, { indices, position }) => {
    const facts = servers.get(indices[0] as number);
    const server: TlsServer = { host: textAt(facts, 'targetHost'), ip: textAt(facts, 'ip'), port: textAt(facts, 'port') };
    return readFinding(record, server, position, (artifact, isSure) => seen.note(artifact, isSure), options, items);
  });
}
