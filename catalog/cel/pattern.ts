import { RE2JS } from '@bufbuild/re2';

const PATTERNS = new Map<string, Pattern>();

/** A pattern that is compiled once, with its latest answers: the rules of a type ask the same of the same texts. */
export class Pattern {
  private readonly compiled: RE2JS;
  private readonly answers = new Map<string, boolean>();

  constructor(text: string) {
    this.compiled = RE2JS.compile(text);
  }

  test(text: string): boolean {
    if (text.length > 200) return this.compiled.test(text);
    let answer = this.answers.get(text);
    if (answer === undefined) {
      if (this.answers.size >= 64) this.answers.clear();
      this.answers.set(text, (answer = this.compiled.test(text)));
    }
    return answer;
  }
}

/** The compiled pattern, made once in a process. @throws for what RE2 does not know */
export function compilePattern(text: string): Pattern {
  let compiled = PATTERNS.get(text);
  if (compiled === undefined) {
    if (PATTERNS.size >= 10_000) PATTERNS.clear();
    PATTERNS.set(text, (compiled = new Pattern(text)));
  }
  return compiled;
}

/** Whether `text` is a pattern that `matches` can run: RE2 syntax, without lookaround and back-references. */
export function isPattern(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch {
    return false;
  }
}
