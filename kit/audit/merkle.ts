import { hash } from 'node:crypto';

// what is hashed of a leaf can be no inner node, and the other way round
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

const sha256 = (prefix: Buffer, ...parts: readonly Buffer[]): Buffer => hash('sha256', Buffer.concat([prefix, ...parts]), 'buffer');
const leafOf = (text: string): Buffer => sha256(LEAF, Buffer.from(text));
const nodeOf = (left: Buffer, right: Buffer): Buffer => sha256(NODE, left, right);

/** The Merkle tree over a list of texts, with SHA-256, as RFC 9162, section 2.1, makes it. */
export class MerkleTree {
  /** The leaves, their nodes, and so on up to the root; a node without a neighbour stands in the next level as it is. */
  private readonly levels: Buffer[][];

  /** @param texts at least one */
  constructor(texts: readonly string[]) {
    if (texts.length === 0) throw new Error('a Merkle tree has a leaf');
    this.levels = [texts.map(leafOf)];
    for (let level = this.levels[0]!; level.length > 1; this.levels.push(level))
      level = Array.from({ length: Math.ceil(level.length / 2) }, (_, n) => {
        const [left, right] = [level[2 * n]!, level[2 * n + 1]];
        return right ? nodeOf(left, right) : left;
      });
  }

  get root(): string {
    return this.levels.at(-1)![0]!.toString('hex');
  }

  /** The hashes that lead from a leaf to the root, from below. */
  path(index: number): string[] {
    return this.levels.flatMap((level, height) => level[(index >> height) ^ 1]?.toString('hex') ?? []);
  }
}

/** The root that a text and its path lead to; null where the path has not the length that the text's place asks for. */
export function rootOf(text: string, index: number, size: number, path: readonly string[]): string | null {
  let node = leafOf(text);
  let used = 0;
  for (let width = size, at = index; width > 1; width = Math.ceil(width / 2), at >>= 1) {
    if ((at ^ 1) >= width) continue;
    const neighbour = Buffer.from(path[used++] ?? '', 'hex');
    node = at % 2 ? nodeOf(neighbour, node) : nodeOf(node, neighbour);
  }
  return index >= 0 && index < size && used === path.length ? node.toString('hex') : null;
}
