import { artifactItem } from '../../normalize/component.js';
import { hostPlace, isNamed } from '../../normalize/host.js';
import { hostAssetItem, hostPackageItem, isKnownSystem, type HostSystem } from '../../normalize/host-package.js';
import { importLines } from '../../normalize/record-items.js';
import { parseKeyValue } from '../../readers/lines/key-value.js';
import { readTextLines } from '../../readers/lines/text-lines.js';
import { BrokenRecord } from '../../readers/record.js';
import { isDamage, readHead } from '../../readers/source.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from '../../types.js';

const [TAB, BLANK] = [0x09, 0x20];

/** A fact of os-release, or of the host. */
const FACT = /^[A-Z][A-Z0-9_]*=/;
/** A package and its version, a tab between them. */
const PACKAGE = /^[A-Za-z0-9][\w.+:~@/-]*\t\S*\d/;

interface Header {
  readonly system: HostSystem;
  readonly hostname: string | undefined;
  readonly pretty: string | undefined;
}

/** What stands before the packages: the host's os-release and its name. */
function headerOf(head: string): Header | null {
  const facts = new Map<string, string>();
  for (const line of head.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (line.includes('\t')) break;
    const fact = FACT.test(line) ? parseKeyValue(line) : undefined;
    if (fact) facts.set(fact.key, fact.value.replace(/^(["'])(.*)\1$/, '$2'));
  }
  const id = facts.get('ID');
  if (id === undefined) return null;
  return { system: { id, release: facts.get('VERSION_ID') }, hostname: facts.get('HOSTNAME'), pretty: facts.get('PRETTY_NAME') };
}

const isList = (head: string): boolean =>
  /^\uFEFF?[ \t\r\n]{0,100}[A-Z][A-Z0-9_]*=/.test(head) &&
  headerOf(head) !== null &&
  head.split(/\r?\n/).some((line) => PACKAGE.test(line));

const EXPECTED = 'a list of packages: the lines of os-release with ID=, and lines of name and version with a tab between them';

/** The packages that are installed on a host, as dpkg, rpm or apk list them behind the host's os-release. One package is one record. */
export const format: ReportFormat = {
  name: 'host_packages',
  label: 'List of the packages of a host (dpkg, rpm, apk)',
  engines: ['vulnerability', 'secops', 'di'],
  detection:
    'A text with the lines of os-release (`ID=debian`) and behind them packages, a line each: name, version, and where it is known architecture, source, source version and state, with tabs.',
  produce:
    "(cat /etc/os-release; echo HOSTNAME=$(hostname); dpkg-query -W -f='${Package}\\t${Version}\\t${Architecture}\\t${source:Package}\\t${source:Version}\\t${db:Status-Status}\\n') > packages.txt",
  outsideClouds: true,
  detect: isList,
  async *read(source, options) {
    const header = headerOf(await readHead(source));
    if (header === null) throw new NotOfFormat(`expected ${EXPECTED}, found other text`);
    yield* hostItems(header, options);
    const isWhole = await endsWithLine(source);
    let isDamaged = false;
    for await (const item of importLines(readTextLines(source), ({ text, number }) =>
      packageItems(text, `line ${number}`, header.system),
    )) {
      isDamaged ||= item.kind === 'truncated';
      yield item;
    }
    // a host whose packages are not all told keeps those that it had
    if (!isWhole && !isDamaged) yield { kind: 'truncated', position: 'the end', reason: 'the list ends within a line' };
  },
};

/** Whether the last line has its end: tools end each with one, so that what lacks it was cut. Blanks behind it are no line. */
async function endsWithLine(source: ReportSource): Promise<boolean> {
  let last: number | undefined;
  try {
    for await (const chunk of source.open() as AsyncIterable<Buffer>)
      last = chunk.findLast((byte) => byte !== BLANK && byte !== TAB) ?? last;
  } catch (error) {
    // whoever reads the lines tells of the damage
    if (!isDamage(error)) throw error;
  }
  return last === 0x0a;
}

function hostItems({ system, hostname, pretty }: Header, options: ImportOptions): ImportItem[] {
  const place = hostPlace({ names: [options.artifact, hostname], operatingSystem: pretty ?? system.id }, options);
  if (!isNamed(place)) throw new NotOfFormat('the list names no host: add HOSTNAME= to it, or name the host as the artifact');
  return [
    hostAssetItem(place, pretty ?? system.id, 'host_packages'),
    artifactItem(place, {
      document: 'package list',
      kind: 'operating-system',
      name: place.resource_uid,
      version: pretty,
      position: 'the host',
    }),
  ];
}

/** Null for a line that is no package. */
function packageItems(text: string, position: string, system: HostSystem): ImportItem[] | null {
  if (text.trim() === '' || FACT.test(text) || text.startsWith('#')) return null;
  const [name = '', version = '', arch, sourceName, sourceVersion, state] = text.split('\t').map((part) => part.trim() || undefined);
  // what was removed leaves its settings behind
  if (state !== undefined && state !== 'installed') return [];
  if (name === '' || version === '') throw new BrokenRecord('a package needs a name, a tab and a version');
  if (!isKnownSystem(system)) throw new BrokenRecord(`packages of ${system.id.slice(0, 50)} are not known here`);
  return [hostPackageItem(system, { name: name.replace(/:[a-z0-9]+$/, ''), version, arch, sourceName, sourceVersion, position })];
}
