// From a source map (ECMA-426) the little that a stack trace needs: which line of which file a place of the bundle is.
import { dirname, relative, resolve } from 'node:path';

const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((digit, value) => [digit.charCodeAt(0), value]),
);

/**
 * @param map the source map of `file`, parsed
 * @param root paths of sources are given from there
 * @returns the sources, and for each line of the bundle its segments, flat: column, source, line
 */
export function linesOf({ sources, mappings }, file, root) {
  const lines = [];
  let [source, line] = [0, 0];
  for (const text of mappings.split(';')) {
    const segments = [];
    let column = 0;
    let last = '';
    for (const segment of text === '' ? [] : text.split(',')) {
      const [columns, sourceStep, lineStep] = numbersOf(segment);
      column += columns;
      if (sourceStep === undefined) continue;
      source += sourceStep;
      line += lineStep;
      if (last !== (last = `${source}:${line}`)) segments.push(column, source, line + 1);
    }
    lines.push(segments);
  }
  return { sources: sources.map((path) => relative(root, resolve(dirname(file), path)).replaceAll('\\', '/')), lines };
}

/** The numbers of a segment: base 64, five bits a digit, the sign in the lowest bit of the first. */
function numbersOf(segment) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (let index = 0; index < segment.length; index++) {
    const digit = DIGITS.get(segment.charCodeAt(index));
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
