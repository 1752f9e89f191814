import { hostItems } from '../../normalize/host-finding.js';
import { hostPlace } from '../../normalize/host.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { wordsOf } from '../../normalize/plain-title.js';
import { compact } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** Words of results; `Found` says that something is there which is looked at next, `Skipped` and others nothing. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { warning: 'FAIL', ok: 'PASS', 'not found': 'PASS', 'none found': 'PASS' };
/** Tests of what malware leaves behind: the others look at how the host is set up. */
const MALWARE = /rootkit|rkt|malware|trojan|strings|hidden|suspscan|deleted_files|running_procs|shared_libs|modules|ports|promisc/;
const TIME = /^\[\d\d:\d\d:\d\d\] ?/;
const RUN = /Running Rootkit Hunter version (\S+)(?: on (\S+))?|^\[ Rootkit Hunter version (\S+) \]/;
const END = /^(?:The system checks took|Info: End date is)/;

interface Check {
  text: string;
  word: string;
  test: string | undefined;
  position: string;
  details: string[];
}

/** Reads a log line by line: a check that warns is told behind the lines that say why. */
export class RkhunterLog {
  hasEnded = false;
  private test: string | undefined;
  private isSelection = false;
  private name: string | undefined;
  private version: string | undefined;
  private known: PlaceDraft | undefined;
  private open: Check | undefined;

  constructor(
    private readonly options: ImportOptions,
    private readonly items: ReportItems,
  ) {}

  /** Whether all tests were asked for, but for those that are off unless somebody turns them on. */
  get sawAll(): boolean {
    return !this.isSelection;
  }

  get place(): PlaceDraft {
    this.known ??= hostPlace({ names: [this.options.artifact, this.name] }, this.options);
    return this.known;
  }

  /** The items of the check before, where this line begins another. */
  take(line: string, position: string): ImportItem[] {
    const text = line.replace(TIME, '').trimEnd();
    const run = RUN.exec(text);
    if (run !== null) {
      this.version = run[1] ?? run[3];
      this.name = run[2];
      return [];
    }
    const plain = text.trimStart();
    this.hasEnded ||= END.test(plain);
    const started = /^Info: Starting test name '([\w-]+)'/.exec(plain)?.[1];
    if (started !== undefined) this.test = started;
    if (/^Info: Enabled tests are: (?!all\b)/.test(plain)) this.isSelection = true;
    const result = resultOf(plain);
    if (result === undefined) {
      if (plain.startsWith('Warning: ')) this.open ??= { text: plain.slice(9), word: 'Warning', test: this.test, position, details: [] };
      if (started !== undefined || plain === '') return this.finish();
      if (!plain.startsWith('Info: ')) this.open?.details.push(plain.replace(/^Warning: /, ''));
      return [];
    }
    const before = this.finish();
    this.open = { ...result, test: this.test, position, details: [] };
    return before;
  }

  /** The items of the check that was read last. */
  finish(): ImportItem[] {
    const check = this.open;
    this.open = undefined;
    if (check === undefined) return [];
    const result = Object.hasOwn(RESULTS, check.word.toLowerCase()) ? RESULTS[check.word.toLowerCase()] : undefined;
    const record: ImportItem = { kind: 'record' };
    return result === undefined ? [record] : [...this.itemsOf(check, result), record];
  }

  private itemsOf({ text, word, test, position, details }: Check, result: 'FAIL' | 'PASS'): ImportItem[] {
    const isMalware = MALWARE.test(test ?? text.toLowerCase());
    const what = text.replace(/^(?:Checking|Scanning)(?: for)? /, '');
    return hostItems(
      {
        source: 'rkhunter',
        engine: 'cwpp',
        ruleId: `rkhunter-${test ?? 'check'}`,
        ruleTitle: test === undefined ? 'Check of Rootkit Hunter' : wordsOf(test),
        title: result === 'FAIL' ? `${text}: ${details[0] ?? 'warning'}` : text,
        severity: isMalware ? 'high' : 'medium',
        result,
        place: this.place,
        discriminator: what,
        detail: details.slice(0, 50).join('\n') || undefined,
        guidance:
          'Compare the file or the setting with a system that is known to be clean; if it is meant to be so, allow it in rkhunter.conf.',
        evidence: compact({
          workload: this.place.resource_uid,
          file: /(?:^|['\s])(\/[^\s']+)/.exec(`${text} ${details[0] ?? ''}`)?.[1],
          signature: test,
          malware_class: isMalware && result === 'FAIL' ? 'rootkit' : undefined,
          check_result: word,
          rkhunter_version: this.version,
        }),
        position,
      },
      this.items,
    );
  }
}

/** The check and its result: `Checking for hidden files   [ None found ]`. */
function resultOf(line: string): { text: string; word: string } | undefined {
  const at = line.lastIndexOf('[ ');
  if (at <= 0 || !line.endsWith(' ]') || line.length - at > 30) return undefined;
  const text = line
    .slice(0, at)
    .trimEnd()
    .replace(/^Warning: /, '');
  return text === '' ? undefined : { text, word: line.slice(at + 2, -2).trim() };
}
