import { NODE } from '../parts/node-size.js';

/** A node as it is drawn. */
export interface Placed {
  readonly index: number;
  readonly x: number;
  readonly y: number;
}

/** An arrow as it is drawn, from the end of one node to the beginning of the next. */
export interface Arrow {
  readonly index: number;
  readonly d: string;
  readonly label: { readonly x: number; readonly y: number };
}

export interface PathLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Placed[];
  readonly arrows: readonly Arrow[];
}

const STRIDE = 300;
const MARGIN = 12;
/** Letters that fit above an arrow. */
const LINE = 20;

/** Words in lines that fit above an arrow. */
export function linesOf(words: string): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ').filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Lays a path out from left to right; its order is that of its steps, so it is the same at every visit. */
export function layOut(count: number): PathLayout {
  const y = 40;
  const nodes = Array.from({ length: count }, (_, index) => ({ index, x: MARGIN + index * STRIDE, y }));
  const arrows = nodes.slice(1).map(({ x }, index) => {
    const from = x - STRIDE + NODE.width;
    const middle = y + NODE.height / 2;
    return { index, d: `M${from + 2},${middle} L${x - 8},${middle}`, label: { x: (from + x) / 2, y: middle - 8 } };
  });
  return { width: 2 * MARGIN + Math.max(0, count - 1) * STRIDE + NODE.width, height: y + NODE.height + 36, nodes, arrows };
}
