/** A macro in an expression: where its body stands, the variable, and the attribute path whose elements that stands for. */
interface Scope {
  from: number;
  to: number;
  variable: string;
  path: string;
}

/** What an expression reads of a resource. */
export interface AttributesRead {
  /** Attribute paths, `[]` after a list that is gone through; those that lead to others are left out. */
  paths: readonly string[];
  /** Paths of policy documents; `` for the resource itself. */
  documents: readonly string[];
}

const PATH = String.raw`[a-z]\w*(?:\.\w+)*`;
const MACRO = new RegExp(
  String.raw`(?<![\w.])(?:(?:strings|json)\(\s*(${PATH})\s*\)|(${PATH}))\.(?:all|exists|exists_one|filter|map)\(\s*(\w+)\s*,`,
  'g',
);
const READ = /(?<![\w."])([a-z]\w*)((?:\.[A-Za-z_]\w*)+)(\(?)/g;
const DOCUMENT = /\bstatements\(\s*([a-z]\w*(?:\.\w+)*)\s*\)/g;

const known = new Map<string, AttributesRead>();
/** Expressions whose paths are kept. */
const MOST_KNOWN = 20_000;

/** The attributes that an expression reads, in the order in which it names them. */
export function attributesRead(expression: string): AttributesRead {
  let read = known.get(expression);
  if (read === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(expression, (read = readExpression(expression)));
  }
  return read;
}

function readExpression(expression: string): AttributesRead {
  // what stands in texts is no attribute
  const code = expression.replace(/"(?:[^"\\]|\\.)*"/g, (literal) => `"${' '.repeat(literal.length - 2)}"`);
  const scopes: Scope[] = [];
  const paths = new Set<string>();
  for (const match of code.matchAll(MACRO)) {
    const from = match.index + match[0].length;
    const path = resolve((match[1] ?? match[2])!, match.index, scopes);
    if (path === undefined) continue;
    scopes.push({ from, to: closing(code, from), variable: match[3]!, path: `${path}[]` });
    if (path !== '') paths.add(`${path}[]`);
  }
  for (const { index, 1: name, 2: rest, 3: call } of code.matchAll(READ)) {
    const steps = rest!.split('.').slice(1);
    if (call === '(') steps.pop();
    const path = resolve([name!, ...steps].join('.'), index, scopes);
    if (path !== undefined && path !== '') paths.add(path);
  }
  const documents = [...code.matchAll(DOCUMENT)].flatMap(({ index, 1: of }) => resolve(of!, index, scopes) ?? []);
  const all = [...paths];
  const leads = (path: string): boolean => all.some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[]`));
  return { paths: all.filter((path) => !leads(path)), documents: [...new Set(documents)] };
}

/** The attribute path of `r.a.b`, or of a macro's variable at a place; undefined for what is none. */
function resolve(text: string, at: number, scopes: readonly Scope[]): string | undefined {
  const [name, ...steps] = text.split('.');
  if (name === 'r') return steps.join('.');
  // the innermost goes first: it begins last
  const scope = scopes.findLast(({ variable, from, to }) => variable === name && from <= at && at < to);
  return scope && [scope.path, ...steps].join('.');
}

/** Where the bracket closes in whose body a place stands. */
function closing(code: string, from: number): number {
  let depth = 1;
  for (let at = from; at < code.length; at++) {
    if (code[at] === '(') depth += 1;
    else if (code[at] === ')' && --depth === 0) return at;
  }
  return code.length;
}
