/** An expression of ARM templates, as it stands between brackets. */
export type ArmExpression =
  | { kind: 'literal'; value: string | number }
  | { kind: 'call'; name: string; args: ArmExpression[] }
  | { kind: 'member'; of: ArmExpression; name: string }
  | { kind: 'index'; of: ArmExpression; key: ArmExpression };

const TOKEN = /\s*(?:('(?:[^']|'')*')|(-?\d+)|([A-Za-z_][\w.]*)|([()[\],.]))/y;
const MAX_DEPTH = 100;

/** Whether a text is an expression; `[[` begins a plain text. */
export const isExpression = (text: string): boolean => /^\[(?!\[)[^]*\]$/.test(text);

/** Reads an expression with its brackets; undefined where it is none that is known. */
export function parseExpression(text: string): ArmExpression | undefined {
  return new Reader(text.slice(1, -1)).whole();
}

/** It is no expression. */
class NoExpression extends Error {}

class Reader {
  private readonly tokens: string[] = [];
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): ArmExpression | undefined {
    try {
      this.split();
      const made = this.term(0);
      return this.at === this.tokens.length ? made : undefined;
    } catch (error) {
      if (error instanceof NoExpression) return undefined;
      throw error;
    }
  }

  private split(): void {
    TOKEN.lastIndex = 0;
    const end = this.text.trimEnd().length;
    for (let at = 0; at < end; at = TOKEN.lastIndex) {
      const found = TOKEN.exec(this.text);
      if (found === null) throw new NoExpression();
      this.tokens.push(found[0].trim());
    }
  }

  private next(wanted?: string): string {
    const token = this.tokens[this.at];
    if (token === undefined || (wanted !== undefined && token !== wanted)) throw new NoExpression();
    this.at += 1;
    return token;
  }

  private term(depth: number): ArmExpression {
    if (depth > MAX_DEPTH) throw new NoExpression();
    let made = this.head(depth);
    for (;;) {
      const mark = this.tokens[this.at];
      if (mark === '.') {
        this.at += 1;
        for (const name of this.next().split('.')) made = { kind: 'member', of: made, name };
      } else if (mark === '[') {
        this.at += 1;
        made = { kind: 'index', of: made, key: this.term(depth + 1) };
        this.next(']');
      } else return made;
    }
  }

  private head(depth: number): ArmExpression {
    const token = this.next();
    if (token.startsWith("'")) return { kind: 'literal', value: token.slice(1, -1).replaceAll("''", "'") };
    if (/^-?\d/.test(token)) return { kind: 'literal', value: Number(token) };
    if (!/^[A-Za-z_]/.test(token)) throw new NoExpression();
    this.next('(');
    const args: ArmExpression[] = [];
    while (this.tokens[this.at] !== ')') {
      if (args.length > 0) this.next(',');
      args.push(this.term(depth + 1));
    }
    this.next(')');
    return { kind: 'call', name: token.toLowerCase(), args };
  }
}
