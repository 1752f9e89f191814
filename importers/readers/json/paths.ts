/**
 * What a reader looks for in a JSON text, as a tree that follows the nesting of the text: a `leaf` is taken whole, members
 * and elements are entered, and everything else is skipped unread.
 */
export interface PathNode {
  /** The path as written, where the value here is wanted. */
  leaf?: string;
  /** The path of this container, for messages and `array` items. */
  readonly path: string;
  members?: Map<string, PathNode>;
  /** Every member that `members` does not name: `*`. */
  others?: PathNode;
  elements?: PathNode;
  /** Keys of the last value that was read here: what an undamaged value looks like. */
  shape?: ReadonlySet<string>;
}

/** The tree for a report that is an array, and the one for an object. */
export interface PathRoots {
  array: PathNode;
  object: PathNode;
}

/**
 * Builds the tree of paths such as `$` (a root object, whole), `$[*]`, `Findings[*]`, `runs[*].tool.driver.rules[*]`, and
 * `results.*[*]` where names of members are what the report tells. Throws when one path lies inside another's value, or begins with a bracket: elements of the root are `$[*]`.
 */
export function parsePaths(paths: readonly string[]): PathRoots {
  // A root array and a root object are two trees, so that `$` and `$[*]` may stand beside each other.
  const roots: PathRoots = { array: { path: '$' }, object: { path: '$' } };
  for (const path of paths) {
    if (path.startsWith('[')) throw new Error(`the path ${path} reads nothing: it begins with $, $${path}`);
    let node = path.startsWith('$[') ? roots.array : roots.object;
    for (const part of path.replace(/^\$/, '').match(/\[\*\]|[^.[\]]+/g) ?? []) {
      const at = part === '[*]' ? `${node.path}[*]` : node.path === '$' ? part : `${node.path}.${part}`;
      if (part === '[*]') node = node.elements ??= { path: at };
      else if (part === '*') node = node.others ??= { path: at };
      else {
        node.members ??= new Map();
        const next: PathNode = node.members.get(part) ?? { path: at };
        node.members.set(part, next);
        node = next;
      }
      if (node.leaf !== undefined && node.leaf !== path) throw new Error(`the path ${path} lies inside ${node.leaf}`);
    }
    node.leaf = path;
  }
  return roots;
}
