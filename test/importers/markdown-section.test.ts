import { markdownSection } from '../../importers/normalize/markdown-section.js';

const TEXT = '## Overview\r\nBad.\r\n## Remediation\r\nUpgrade `a` to 2.\r\n### How\r\nSo.\r\n## References\r\n- x\r\n';

it('a section of a Markdown text ends with the next heading of its rank, and has the smaller ones', () => {
  expect(markdownSection(TEXT, 'remediation')).toBe('Upgrade `a` to 2.\n### How\nSo.');
  expect(markdownSection(TEXT, 'References')).toBe('- x');
});

it('there is no section without its heading, or without a text below it', () => {
  for (const text of [undefined, '', 'Remediation', '## Overview\nx', '## Remediation\n\n## References\ny'])
    expect(markdownSection(text, 'Remediation')).toBeUndefined();
});
