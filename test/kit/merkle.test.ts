import { createHash } from 'node:crypto';
import { MerkleTree, rootOf } from '../../kit/audit/merkle.js';

const texts = (count: number) => Array.from({ length: count }, (_, n) => `text ${n}`);
const sha256 = (...parts: (Buffer | string)[]) => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
};

/** MTH of RFC 9162, section 2.1.1, word for word. */
function treeHash(list: readonly string[]): Buffer {
  if (list.length === 1) return sha256(Buffer.from([0]), list[0]!);
  let half = 1;
  while (half * 2 < list.length) half *= 2;
  return sha256(Buffer.from([1]), treeHash(list.slice(0, half)), treeHash(list.slice(half)));
}

const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 200];

describe('a Merkle tree', () => {
  it.each(SIZES)('of %i texts has the root that RFC 9162 defines', (size) => {
    expect(new MerkleTree(texts(size)).root).toBe(treeHash(texts(size)).toString('hex'));
  });

  it.each(SIZES)('of %i texts proves each of them in its place, and nothing else', (size) => {
    const tree = new MerkleTree(texts(size));
    for (const [index, text] of texts(size).entries()) {
      const path = tree.path(index);
      expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
      expect(rootOf(text, index, size, path)).toBe(tree.root);
      expect(rootOf(`${text}!`, index, size, path)).not.toBe(tree.root);
      expect(rootOf(text, index, size, [...path, path[0] ?? '00'])).toBeNull();
      expect(rootOf(text, size, size, path)).toBeNull();
      expect(rootOf(text, -1, size, path)).toBeNull();
      if (size > 1) expect(rootOf(text, (index + 1) % size, size, path)).not.toBe(tree.root);
      if (path.length > 0) expect(rootOf(text, index, size, path.slice(1))).toBeNull();
    }
  });

  it('of nothing is refused', () => {
    expect(() => new MerkleTree([])).toThrow('has a leaf');
  });
});
