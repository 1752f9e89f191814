const MAX_DEPTH = 50;
const MAX_LENGTH = 200_000;

/** What was expected is not there. */
class NotLiteral extends Error {}

/**
 * Reads an HCL expression made of literals: objects (`{a = 1, "b": [..]}`), lists, texts, numbers, booleans. What is no literal inside
 * it stays a reference `${...}`.
 * @returns the value; undefined when the whole is no object, list or literal
 */
export function parseHcl(text: string): unknown {
  if (text.length > MAX_LENGTH) return undefined;
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    reader.space(true);
    return reader.done ? value : undefined;
  } catch (error) {
    if (error instanceof NotLiteral) return undefined;
    throw error;
  }
}

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** Skips spaces and comments, and line ends where they mean nothing. */
  space(lines: boolean): void {
    const pattern = lines ? /(?:\s|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y : /[^\S\n]*/y;
    pattern.lastIndex = this.at;
    pattern.exec(this.text);
    this.at = pattern.lastIndex;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new NotLiteral();
    this.space(true);
    const start = this.at;
    const char = this.text[this.at];
    let value: unknown;
    if (char === '{') value = this.object(depth);
    else if (char === '[') value = this.list(depth);
    else if (char === '"') value = this.string();
    else return this.expression();
    // `"a" == var.b`, `[...][0]`: an expression that only begins like a literal
    this.space(false);
    if (!this.done && !/[\n,}\])#]|\/[/*]/y.test(this.text.slice(this.at, this.at + 2))) {
      this.at = start;
      return this.expression();
    }
    return value;
  }

  private object(depth: number): Record<string, unknown> {
    this.take('{');
    const made: Record<string, unknown> = {};
    for (;;) {
      this.space(true);
      if (this.text[this.at] === '}') break;
      const key = this.key();
      this.space(false);
      if (this.text[this.at] !== '=' && this.text[this.at] !== ':') throw new NotLiteral();
      this.at += 1;
      Object.defineProperty(made, key, { value: this.value(depth + 1), enumerable: true, configurable: true, writable: true });
      this.space(true);
      if (this.text[this.at] === ',') this.at += 1;
    }
    this.take('}');
    return made;
  }

  private list(depth: number): unknown[] {
    this.take('[');
    const made: unknown[] = [];
    for (;;) {
      this.space(true);
      if (this.text[this.at] === ']') break;
      if (/^for\b/.test(this.text.slice(this.at, this.at + 4))) throw new NotLiteral();
      made.push(this.value(depth + 1));
      this.space(true);
      if (this.text[this.at] === ',') this.at += 1;
      else if (this.text[this.at] !== ']') throw new NotLiteral();
    }
    this.take(']');
    return made;
  }

  private key(): string {
    if (this.text[this.at] === '"') return String(this.string());
    if (this.text[this.at] === '(') throw new NotLiteral();
    const match = /[A-Za-z_][\w-]*/y;
    match.lastIndex = this.at;
    const found = match.exec(this.text)?.[0];
    if (found === undefined || found === 'for') throw new NotLiteral();
    this.at += found.length;
    return found;
  }

  /** A quoted text; references in it stay. */
  private string(): string {
    const start = this.at;
    let depth = 0;
    for (let i = start + 1; i < this.text.length; i++) {
      if (this.text[i] === '\\') i += 1;
      else if (this.text.startsWith('${', i)) {
        depth += 1;
        i += 1;
      } else if (depth > 0 && this.text[i] === '}') depth -= 1;
      else if (depth === 0 && this.text[i] === '"') {
        this.at = i + 1;
        return unquote(this.text.slice(start + 1, i));
      }
    }
    throw new NotLiteral();
  }

  /** A number, boolean or null; anything else as a reference, up to where it ends. */
  private expression(): unknown {
    const start = this.at;
    let depth = 0;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]!;
      if (char === '#' || this.text.startsWith('//', this.at) || this.text.startsWith('/*', this.at)) {
        if (depth === 0) break;
        this.space(true);
        this.at -= 1;
      } else if (char === '"') {
        this.string();
        this.at -= 1;
      } else if ('([{'.includes(char)) depth += 1;
      else if (')]}'.includes(char)) {
        if (depth === 0) break;
        depth -= 1;
      } else if (depth === 0 && (char === ',' || char === '\n')) break;
    }
    const source = this.text.slice(start, this.at).trim();
    if (source === '') throw new NotLiteral();
    if (/^-?\d+(?:\.\d+)?$/.test(source)) return Number(source);
    if (/^(?:true|false)$/i.test(source)) return source.toLowerCase() === 'true';
    return source === 'null' ? null : `\${${source}}`;
  }

  private take(char: string): void {
    if (this.text[this.at] !== char) throw new NotLiteral();
    this.at += 1;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };
function unquote(text: string): string {
  return text.replace(/\\(.)/g, (whole, char: string) => ESCAPES[char] ?? whole);
}
