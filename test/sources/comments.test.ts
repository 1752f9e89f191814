import { commentsOf } from '../../sources/comments.js';
import { loadHclParser } from '../../sources/terraform/grammar.js';

const IGNORE = 'palisade:ignore open_port why';
beforeAll(loadHclParser);

it('comments of Terraform are those of its grammar, not what texts hold', () => {
  const text = `# ${IGNORE}
resource "a" "b" {
  x = "# ${IGNORE}" // ${IGNORE}
  y = <<EOT
# ${IGNORE}
EOT
  /* first
  second */
}
`;
  expect(commentsOf('main.tf', text)).toEqual([
    { line: 1, text: `# ${IGNORE}` },
    { line: 3, text: `// ${IGNORE}` },
    { line: 7, text: '/* first\n  second */' },
  ]);
});

it('comments of YAML are what its lexer takes for them, in any document', () => {
  const text = `a: b # ${IGNORE}
c: |
  # in a block
  text
d: >-
  # folded
e: "# quoted"
f: plain#text
---
# ${IGNORE}
g: {{ .Values.x }}
h:
  - '# quoted'
  # last`;
  expect(commentsOf('a.yaml', text)).toEqual([
    { line: 1, text: `# ${IGNORE}` },
    { line: 10, text: `# ${IGNORE}` },
    { line: 14, text: '# last' },
  ]);
  expect(commentsOf('a.json', '# no')).toEqual([]);
});
