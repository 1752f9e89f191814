/** A condition over the names of selections, taken apart. */
export type Condition =
  | { readonly kind: 'selection'; readonly name: string }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] };

const TOKEN = /\s*(\(|\)|[A-Za-z0-9_*?]+|\S)/y;

/**
 * Reads a condition: names of selections, `and`, `or`, `not`, parentheses, `1 of` (or `any of`) and `all of` with a name that may hold stars, or `them`.
 * @throws an Error that names what is outside of the subset
 */
export function parseCondition(text: string, selections: readonly string[]): Condition {
  return new ConditionParser(tokensOf(text), selections).whole();
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) tokens.push(match[1]!);
  return tokens;
}

class ConditionParser {
  private at = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly selections: readonly string[],
  ) {}

  whole(): Condition {
    const condition = this.or();
    const rest = this.tokens[this.at];
    if (rest === '|') throw new Error('aggregations behind "|" are not of the subset; write a correlation');
    if (rest !== undefined) throw new Error(`the condition does not go on with "${rest}"`);
    return condition;
  }

  private or(): Condition {
    const of = [this.and()];
    while (this.takes('or')) of.push(this.and());
    return of.length === 1 ? of[0]! : { kind: 'or', of };
  }

  private and(): Condition {
    const of = [this.one()];
    while (this.takes('and')) of.push(this.one());
    return of.length === 1 ? of[0]! : { kind: 'and', of };
  }

  private one(): Condition {
    if (this.takes('not')) return { kind: 'not', of: this.one() };
    if (this.takes('(')) {
      const inner = this.or();
      if (!this.takes(')')) throw new Error('the condition lacks a closing parenthesis');
      return inner;
    }
    const token = this.tokens[this.at++];
    if (token === undefined || /^(?:and|or|of|\)|\|)$/i.test(token)) throw new Error('the condition lacks the name of a selection');
    if (this.tokens[this.at]?.toLowerCase() !== 'of') return this.selection(token);
    this.at += 1;
    const wanted = token.toLowerCase();
    if (wanted !== '1' && wanted !== 'any' && wanted !== 'all') throw new Error(`"${token} of" is not of the subset: 1 of, any of, all of`);
    const of = this.named(this.tokens[this.at++] ?? '').map((name) => ({ kind: 'selection', name }) as const);
    return { kind: wanted === 'all' ? 'and' : 'or', of };
  }

  private selection(name: string): Condition {
    if (!this.selections.includes(name)) throw new Error(`the condition names "${name}", which is no selection of the rule`);
    return { kind: 'selection', name };
  }

  private named(pattern: string): readonly string[] {
    // what begins with an underscore is left out of "them"
    const matches = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
    const found = this.selections.filter((name) => (pattern === 'them' ? !name.startsWith('_') : matches.test(name)));
    if (found.length === 0) throw new Error(`the condition names "${pattern}", which is no selection of the rule`);
    return found;
  }

  private takes(token: string): boolean {
    if (this.tokens[this.at]?.toLowerCase() !== token) return false;
    this.at += 1;
    return true;
  }
}
