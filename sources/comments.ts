import { Lexer } from 'yaml';
import { isDockerfile } from './dockerfile/read.js';
import { hclParser } from './terraform/grammar.js';

/** A comment of a file, from the mark that begins it. */
export interface Comment {
  line: number;
  text: string;
}

/** The comments of a file of Terraform, of YAML or of a Dockerfile; texts that look like one are none. Terraform's parser must have been loaded. */
export function commentsOf(file: string, text: string): Comment[] {
  if (/\.tf$/i.test(file)) return hclComments(text);
  if (isDockerfile(file, '')) return lineComments(text);
  return /\.(?:ya?ml|template)$/i.test(file) ? yamlComments(text) : [];
}

/** Comments are lines of their own. */
const lineComments = (text: string): Comment[] =>
  text.split('\n').flatMap((line, n) => (/^\s*#/.test(line) ? [{ line: n + 1, text: line.trim() }] : []));

function hclComments(text: string): Comment[] {
  const tree = hclParser().parse(text);
  if (tree === null) return [];
  try {
    return tree.rootNode
      .descendantsOfType('comment')
      .flatMap((node) => (node === null ? [] : [{ line: node.startPosition.row + 1, text: node.text }]));
  } finally {
    tree.delete();
  }
}

/** The lexer says by this that a scalar follows. */
const SCALAR = '\u001f';

function yamlComments(text: string): Comment[] {
  const comments: Comment[] = [];
  let line = 1;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (!isScalar && token.startsWith('#')) comments.push({ line, text: token });
    isScalar = token === SCALAR;
    for (let at = token.indexOf('\n'); at >= 0; at = token.indexOf('\n', at + 1)) line += 1;
  }
  return comments;
}
