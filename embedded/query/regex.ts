import { BSON, cstringEnd, readString, type RawValue } from '../bson/raw.js';
import { CommandError, notSupported } from '../errors.js';

/** The pattern and flags of a regular expression value, or of a string given to $regex. */
export function regexParts(value: RawValue): { pattern: string; flags: string } {
  if (value.type === BSON.string) return { pattern: readString(value), flags: '' };
  if (value.type !== BSON.regex) throw new CommandError(2, '$regex has to be a string');
  const patternEnd = cstringEnd(value.buf, value.off);
  return { pattern: value.buf.toString('utf8', value.off, patternEnd), flags: value.buf.toString('utf8', patternEnd + 1, value.end - 1) };
}

/** A JavaScript regular expression for a pattern with MongoDB's flags i, m, s and u. Extended syntax (x) is refused. */
export function compileRegex(pattern: string, flags: string): RegExp {
  for (const flag of flags) {
    if (flag === 'x') throw notSupported('The regular expression flag x');
    if (!'imsu'.includes(flag)) throw new CommandError(51108, `invalid flag in regex options: ${flag}`);
  }
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const source = inline ? pattern.slice(inline[0].length) : pattern;
  const wanted = [...new Set([...flags.replace('u', ''), ...(inline?.[1] ?? '')])].join('');
  try {
    return new RegExp(source, `${wanted}u`);
  } catch {
    try {
      return new RegExp(source, wanted);
    } catch (error) {
      throw new CommandError(51091, `Regular expression is invalid: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** The literal text that every match of a pattern anchored with ^ starts with, or undefined. */
export function literalPrefix(regex: RegExp): string | undefined {
  if (regex.flags.includes('i') || regex.flags.includes('m') || regex.source.includes('|')) return undefined;
  const match = /^\^([A-Za-z0-9 _:/@,;=%#&~<>'"!-]+)/.exec(regex.source);
  const literal = match?.[1];
  if (literal === undefined) return undefined;
  const next = regex.source[literal.length + 1];
  const prefix = next !== undefined && '*?{+'.includes(next) ? literal.slice(0, -1) : literal;
  return prefix === '' ? undefined : prefix;
}
