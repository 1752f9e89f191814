import { addressObservable, domainObservable, hashObservable, urlObservable, type Observable } from '../../../schema/observables.js';
import { BrokenRecord } from '../../readers/record.js';

/** What may be compared, and how a value of it is spelled. */
const PATHS: Readonly<Record<string, (text: string) => Observable>> = {
  'ipv4-addr:value': addressObservable,
  'ipv6-addr:value': addressObservable,
  'domain-name:value': domainObservable,
  'url:value': urlObservable,
};
const OF_HASHES = /^file:hashes\.'?(?:MD5|SHA-?1|SHA-?256|SHA-?512)'?$/i;
const ADDRESSES = /^ipv[46]-addr:value$/;

/** A path, a text, a word or a sign of STIX patterning (STIX 2.1, section 9). */
const TOKEN =
  /\s*(?:([a-z][a-z0-9-]*:(?:[\w-]+|'[^']*')(?:\.(?:[\w-]+|'[^']*')|\[(?:\*|\d+)\])*)|'((?:[^'\\]|\\.)*)'|([A-Za-z]+)|(!=|<=|>=|[[\]()=<>,]|\S))/y;
/** Values of one pattern. */
const MOST_VALUES = 1_000;
const LONGEST = 262_144;
const DEEPEST = 50;

interface Token {
  readonly kind: 'path' | 'text' | 'word' | 'sign' | 'end';
  readonly text: string;
}

/**
 * The values of which any one meets a pattern.
 * @throws BrokenRecord that names what is beyond the subset: comparisons of addresses, domain names, URLs and file hashes by `=`, `IN` and (networks)
 * `ISSUBSET`, joined by OR, in observations joined by OR
 */
export function valuesOfPattern(pattern: string): Observable[] {
  if (pattern.length > LONGEST) throw new BrokenRecord(`the pattern has ${pattern.length} characters; ${LONGEST} are read`);
  const values = new PatternParser(tokensOf(pattern)).whole();
  const each = [...new Map(values.map((one) => [`${one.kind}|${one.value}`, one])).values()];
  if (each.length > MOST_VALUES) throw new BrokenRecord(`the pattern has ${each.length} values; ${MOST_VALUES} are read`);
  return each;
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  const end = pattern.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const [, path, text, word, sign] = TOKEN.exec(pattern)!;
    if (path !== undefined) tokens.push({ kind: 'path', text: path });
    else if (text !== undefined) tokens.push({ kind: 'text', text: text.replace(/\\(.)/gs, '$1') });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else tokens.push({ kind: 'sign', text: sign! });
  }
  return tokens;
}

class PatternParser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Observable[] {
    const values = this.observations();
    const { kind, text } = this.next;
    if (kind !== 'end') throw beyond(text);
    return values;
  }

  /** Observations joined by OR. */
  private observations(): Observable[] {
    return this.joined(() => {
      if (this.takes('(')) return this.within(')', () => this.observations());
      this.expect('[');
      return this.within(']', () => this.comparisons());
    });
  }

  /** Comparisons joined by OR. */
  private comparisons(): Observable[] {
    return this.joined(() => (this.takes('(') ? this.within(')', () => this.comparisons()) : this.comparison()));
  }

  private joined(one: () => Observable[]): Observable[] {
    const values = one();
    while (this.takes('OR')) values.push(...one());
    return values;
  }

  private within(closing: string, inner: () => Observable[]): Observable[] {
    if (++this.depth > DEEPEST) throw new BrokenRecord('the pattern is nested too deeply');
    const values = inner();
    this.expect(closing);
    this.depth -= 1;
    return values;
  }

  private comparison(): Observable[] {
    const { kind, text: path } = this.next;
    if (kind !== 'path') throw beyond(path);
    const read = Object.hasOwn(PATHS, path) ? PATHS[path] : OF_HASHES.test(path) ? hashObservable : undefined;
    if (read === undefined) throw beyond(path);
    this.at += 1;
    if (this.takes('IN')) return this.set().map((text) => valueOf(read, text));
    if (this.takes('ISSUBSET')) {
      if (!ADDRESSES.test(path)) throw beyond(`ISSUBSET of ${path}`);
    } else this.expect('=');
    return [valueOf(read, this.text())];
  }

  private set(): string[] {
    this.expect('(');
    const texts = [this.text()];
    while (this.takes(',')) texts.push(this.text());
    this.expect(')');
    return texts;
  }

  private text(): string {
    const { kind, text } = this.next;
    if (kind !== 'text') throw beyond(text);
    this.at += 1;
    return text;
  }

  private get next(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: 'its end' };
  }

  private takes(wanted: string): boolean {
    const { kind, text } = this.next;
    if (kind === 'text' || text !== wanted) return false;
    this.at += 1;
    return true;
  }

  private expect(wanted: string): void {
    if (this.takes(wanted)) return;
    const { kind, text } = this.next;
    if (kind === 'end') throw new BrokenRecord(`the pattern ends where "${wanted}" should stand`);
    throw beyond(text);
  }
}

const beyond = (what: string): BrokenRecord => new BrokenRecord(`the pattern is beyond what is read, at ${what.slice(0, 100)}`);

function valueOf(read: (text: string) => Observable, text: string): Observable {
  try {
    return read(text);
  } catch (error) {
    throw new BrokenRecord(error instanceof Error ? error.message : 'a value cannot be read');
  }
}
