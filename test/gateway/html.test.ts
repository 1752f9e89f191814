import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type HtmlValue } from '../../http/html.js';

const HOSTILE = `</title><script>alert(1)</script><img src=x onerror="a()" title='b'>&amp;`;
const ESCAPED =
  '&#60;/title&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#60;img src=x onerror=&#34;a()&#34; title=&#39;b&#39;&#62;&#38;amp;';

test('what stands in a template is escaped, whatever it is', () => {
  expect(String(html`<p title="${HOSTILE}">${HOSTILE}</p>`)).toBe(`<p title="${ESCAPED}">${ESCAPED}</p>`);
  const objects = [{ toString: () => '<b>' }, new String('<b>')] as unknown as HtmlValue[];
  expect(String(html`${objects}`)).toBe('&#60;b&#62;&#60;b&#62;');
});

test('templates nest, and lists of them are joined', () => {
  const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
  expect(
    String(
      html`<ul>
        ${items}
      </ul>`,
    ).replace(/\s+/g, ''),
  ).toBe('<ul><li>a</li><li>&#60;b&#62;</li></ul>');
  expect(String(html`${[['<'], html`<i></i>`, [[html`<u></u>`]]]}`)).toBe('&#60;<i></i><u></u>');
});

test('nothing comes of null, undefined and false, and zero is a text', () => {
  expect(String(html`<p>${null}${undefined}${false}${0}${''}${true}</p>`)).toBe('<p>0true</p>');
});

test('what looks like HTML but was not made by a template is escaped', () => {
  const forged = { ...html`<b></b>`, toString: () => '<script>' } as unknown as HtmlValue;
  expect(String(html`${forged}`)).toBe('&#60;script&#62;');
  expect(String(html`${String(html`<b></b>`)}`)).toBe('&#60;b&#62;&#60;/b&#62;');
});

test('a text with patterns of replacements or escapes is left as it is', () => {
  expect(String(html`${'$& $1 \\u003c \\n'}`)).toBe('$&#38; $1 \\u003c \\n');
});

test('no page is built of strings', () => {
  const sources = ['gateway', 'http', 'rest', 'sign-in'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  expect(sources.length).toBeGreaterThan(100);
  // a template or a string that begins with a tag; SAML's metadata escapes by the same template
  const built = sources.filter((path) =>
    /(?<!\bhtml)`\s*<[a-z!?]|'<[a-z!][^']*>/i.test(readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
  );
  expect(built).toEqual([]);
});
