import { gzipSync } from 'node:zlib';
import { NotOfFormat } from '../../importers/types.js';
import { bufferSource, readHead } from '../../importers/readers/source.js';
import { outlineXml } from '../../importers/readers/xml/outline.js';
import { readXml } from '../../importers/readers/xml/records.js';
import {
  ancestorOf,
  attributeOf,
  childAt,
  childrenOf,
  numberAt,
  numberOf,
  requireAttribute,
  requireChild,
  requireTextAt,
  textAt,
  textOf,
  textsAt,
} from '../../importers/readers/xml/fields.js';
import type { XmlElement, XmlItem } from '../../importers/readers/xml/element.js';
import type { RecordLimits } from '../../importers/readers/limits.js';
import { all, inPieces } from './pieces.js';

const MIB = 1024 ** 2;
const PATHS = ['report/host/@', 'report/host/item'];

const read = (text: string | Buffer, paths = PATHS, size = 0, limits: Partial<RecordLimits> = {}): Promise<XmlItem[]> =>
  all(readXml(inPieces(text, size), paths, limits));
const kinds = (items: XmlItem[]) => items.map(({ kind }) => kind);
const values = (items: XmlItem[]) => items.flatMap((item) => (item.kind === 'value' ? [item.value] : []));
const ids = (items: XmlItem[]) => values(items).map((value) => attributeOf(value, 'id'));
const item = (id: number | string, inside = `<title>Title ${id}</title>`) => `<item id="${id}">${inside}</item>`;
const report = (...items: string[]) =>
  `<?xml version="1.0"?>\n<report at="now">\n<host name="h">\n${items.join('\n')}\n</host>\n</report>\n`;
const nested = (levels: number): string => `${'<n>'.repeat(levels)}x${'</n>'.repeat(levels)}`;

describe('reading elements out of XML', () => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE report>
<?xml-stylesheet href="x.xsl"?>
<!-- a comment with <item id="no"/> -->
<report at="now">
  <host name="é 漢 😀 &lt;&amp;&quot;&#233;">
    <other><item id="no"/></other>
    <item id="1"><title>One &amp; <b>two</b> <i>three</i></title><note><![CDATA[<raw> & ]]]]><![CDATA[>]]></note></item>
    <item id="2"/>
  </host>
  <host name="empty"/>
  <host name="last"><item id="3"><item id="inner"/></item></host>
</report>`;

  it('gives the same elements for every size of the pieces', async () => {
    const whole = await read(text);
    expect(kinds(whole)).toEqual(['open', 'value', 'value', 'open', 'open', 'value']);
    expect(ids(whole)).toEqual(['1', '2', '3']);
    for (const size of [1, 2, 3, 7, 64, 1000]) expect(await read(text, PATHS, size)).toEqual(whole);
  });

  it('says where an element stands, and what is around it', async () => {
    const whole = await read(text);
    expect(whole.map((one) => one.position)).toEqual([
      '/report/host[1] (line 6)',
      '/report/host[1]/item[1] (line 8)',
      '/report/host[1]/item[2] (line 9)',
      '/report/host[2] (line 11)',
      '/report/host[3] (line 12)',
      '/report/host[3]/item[1] (line 12)',
    ]);
    const [, first] = whole as [XmlItem, Extract<XmlItem, { kind: 'value' }>];
    expect(attributeOf(ancestorOf(first, 'host'), 'name')).toBe('é 漢 😀 <&"é');
    expect(attributeOf(ancestorOf(first, 'report'), 'at')).toBe('now');
    expect(ancestorOf(first, 'item')).toBeUndefined();
    expect(first.ancestors.map(({ name, content }) => [name, content])).toEqual([
      ['report', []],
      ['host', []],
    ]);
    expect(first.path).toBe('report/host/item');
  });

  it('keeps text, mixed content and CDATA in their order', async () => {
    const [one, two] = values(await read(text)) as [XmlElement, XmlElement];
    expect(textAt(one, 'title')).toBe('One & two three');
    expect(textAt(one, 'note')).toBe('<raw> & ]]>');
    expect(two.content).toEqual([]);
  });

  it('finds elements at any depth, of any name, and by several paths', async () => {
    expect(ids(await read(text, ['//item']))).toEqual(['no', '1', '2', '3']);
    expect(ids(await read(text, ['report//item']))).toEqual(['no', '1', '2', '3']);
    expect(ids(await read(text, ['report/*/item']))).toEqual(['1', '2', '3']);
    expect(ids(await read(text, ['report/host/other/item', 'report/host/item']))).toEqual(['no', '1', '2', '3']);
    expect(kinds(await read(text, ['report/@']))).toEqual(['open']);
    expect(values(await read(text, ['report'])).map(({ name }) => name)).toEqual(['report']);
    expect(values(await read('<a><b><c id="1"/><b><c id="2"/></b></b></a>', ['a//b/c'])).map((one) => attributeOf(one, 'id'))).toEqual([
      '1',
      '2',
    ]);
  });

  it.each(['', '/report', 'report/', 'report[1]', 'a b', 'report/@/item'])('refuses %j as a path', async (path) => {
    await expect(read(text, [path])).rejects.toThrow('is no path of elements');
  });

  it('refuses a path that lies inside of another', async () => {
    await expect(read(text, ['report/host', 'report/host/item'])).rejects.toThrow('lies inside');
  });

  it('matches local names, and tells the namespace', async () => {
    const spaced = `<r:report xmlns:r="urn:r" xmlns="urn:default"><r:host name="h"><item id="1" x:kind="k" xml:lang="en" xmlns:x="urn:x"><x:deep/></item>
      <x:item id="2" xmlns:x="urn:other"/></r:host></r:report>`;
    const [first, second] = values(await read(spaced)) as [XmlElement, XmlElement];
    expect([first.namespace, second.namespace]).toEqual(['urn:default', 'urn:other']);
    expect(childAt(first, 'deep')?.namespace).toBe('urn:x');
    expect({ ...first.attributes }).toEqual({ id: '1', 'x:kind': 'k', 'xml:lang': 'en' });
    const unbound = values(await read(report('<y:item id="1"/>')));
    expect(unbound.map(({ namespace }) => namespace)).toEqual(['']);
  });

  it('holds names that objects have by nature', async () => {
    const [one] = values(await read(report('<item id="1" __proto__="p" constructor="c"><toString>t</toString></item>'))) as [XmlElement];
    expect([attributeOf(one, '__proto__'), attributeOf(one, 'constructor'), attributeOf(one, 'toString')]).toEqual(['p', 'c', undefined]);
    expect(textAt(one, 'toString')).toBe('t');
    expect(childAt(one, '__proto__')).toBeUndefined();
  });
});

describe('the encoding of an XML report', () => {
  const body = '<report><host name="h"><item id="1"><title>é “–” ß</title></item></host></report>';
  const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  const windows = (text: string) => Buffer.from(text.replace(/“/g, '\x93').replace(/–/g, '\x96').replace(/”/g, '\x94'), 'latin1');
  it.each<[string, Buffer]>([
    ['UTF-8', Buffer.from(`<?xml version="1.0" encoding="utf-8"?>${body}`)],
    ['UTF-8 without a declaration', Buffer.from(body)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF<?xml version="1.0"?>${body}`)],
    ['UTF-16 little endian', utf16(`<?xml version="1.0" encoding="UTF-16"?>${body}`)],
    ['UTF-16 big endian', Buffer.from(utf16(`<?xml version='1.0' encoding='UTF-16BE'?>${body}`)).swap16()],
    ['windows-1252', windows(`<?xml version="1.0" encoding="Windows-1252"?>${body}`)],
    ['ISO-8859-1', windows(`<?xml version='1.0' encoding='ISO-8859-1' standalone='yes'?>${body}`)],
  ])('is %s', async (_name, bytes) => {
    for (const padded of [bytes, gzipSync(bytes)])
      expect(values(await all(readXml(bufferSource(padded), PATHS))).map((one) => textAt(one, 'title'))).toEqual(['é “–” ß']);
  });

  it('is refused when there is no decoder for it', async () => {
    await expect(read(`<?xml version="1.0" encoding="x-klingon"?>${body}`)).rejects.toThrow('written in x-klingon');
  });
});

describe('what XML does not define', () => {
  it.each([
    ['JSON', '{"report": 1}'],
    ['nothing', ''],
    ['white space', ' \n '],
    ['a comment alone', '<!-- x -->'],
    ['another root', '<html><body/></html>'],
    ['text before the root', 'x<report/>'],
    ['an entity of its own', '<!DOCTYPE report [<!ENTITY e "x">]><report><host><item id="1">&e;</item></host></report>'],
    ['an external entity', '<!DOCTYPE report [<!ENTITY % p SYSTEM "http://127.0.0.1/x"> %p;]><report/>'],
  ])('%s is not of the format', async (_case, text) => {
    await expect(read(text)).rejects.toThrow(NotOfFormat);
    await expect(read(text, PATHS, 1)).rejects.toThrow(NotOfFormat);
  });

  it('names the root that it expected and the one that it found', async () => {
    await expect(read('<html/>')).rejects.toThrow('expected an XML report with the root report, found html');
  });

  it('passes over a document type with elements and attributes', async () => {
    const burp = `<!DOCTYPE report [<!ELEMENT report (host*)>\n<!ATTLIST report at CDATA "now">\n<!-- a > b -->]>${report(item(1)).replace(/^.*\n/, '')}`;
    expect(ids(await read(burp))).toEqual(['1']);
    expect(ids(await read(`<!DOCTYPE report PUBLIC "-//X//Y" "http://example.com/x.dtd">${report(item(1)).replace(/^.*\n/, '')}`))).toEqual(
      ['1'],
    );
  });

  it.each([
    ['an undefined entity in text', item(2, '<title>&nbsp;</title>')],
    ['an undefined entity in an attribute', '<item id="2" x="&foo;"/>'],
    ['an undefined entity in an inner attribute', item(2, '<title x="&foo;"/>')],
    ['an empty entity', item(2, '&;')],
    ['a doubled attribute', '<item id="2" id="2"/>'],
  ])('breaks the record with %s, and the others go on', async (_case, bad) => {
    for (const size of [0, 1]) {
      const items = await read(report(item(1), bad, item(3)), PATHS, size);
      expect(kinds(items)).toEqual(['open', 'value', 'broken', 'value']);
      expect(ids(items)).toEqual(['1', '3']);
      expect(items[2]).toMatchObject({ position: '/report/host[1]/item[2] (line 5)' });
    }
  });

  it('takes what tools write all the same', async () => {
    const sloppy = report(item(1, 'a\u0001b\u0000 ]]> c'), '<item id="2" note="\u001b[31m&#27;"/>');
    const [one, two] = values(await read(`\n${sloppy}`)) as [XmlElement, XmlElement];
    expect(textOf(one)).toBe('a\uFFFDb\uFFFD ]]> c');
    expect(attributeOf(two, 'note')).toBe('\uFFFD[31m&#27;');
  });

  it('does not grow with entities: a billion laughs is refused before it is read', async () => {
    const laughs = Array.from({ length: 30 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    await expect(read(`<!DOCTYPE report [<!ENTITY l0 "ha">${laughs}]>${report(item('&l30;'))}`)).rejects.toThrow('entities of its own');
  });
});

describe('an XML report that is cut or garbled', () => {
  const whole = report(item(1), item(2), item(3));

  it('cut anywhere, gives what is whole before the cut, and says that it is cut', async () => {
    for (let at = 0; at < whole.lastIndexOf('</report>') + 9; at++) {
      const cut = whole.slice(0, at);
      const items = await read(cut).catch((error: unknown) => {
        if (error instanceof NotOfFormat) return null;
        throw error;
      });
      if (items === null) {
        expect(at).toBeLessThanOrEqual(whole.indexOf('<report at="now">') + 16);
        continue;
      }
      const closed = (cut.match(/<\/item>/g) ?? []).length;
      expect(ids(items)).toEqual(['1', '2', '3'].slice(0, closed));
      expect(items.at(-1)?.kind).toBe('truncated');
      expect(items.filter(({ kind }) => kind === 'truncated')).toHaveLength(1);
    }
  });

  it('is read up to the first thing that leaves its structure in doubt', async () => {
    for (const bad of [
      '<item id="2"><title>x</item>',
      '<item id="2"></itme>',
      '</host></host>',
      '<item id="2" x=1/>',
      '<item id=">',
      '<!-- -- -->',
      '< item/>',
      '</>',
    ]) {
      for (const size of [0, 1]) {
        const items = await read(report(item(1), bad, item(3)), PATHS, size);
        expect([bad, ids(items), items.at(-1)?.kind]).toEqual([bad, ['1'], 'truncated']);
        expect(items.at(-1)?.position).toMatch(/\(line [56]\)$/);
      }
    }
  });

  it('says that there is more after the end, and reads none of it', async () => {
    const items = await read(`${whole}${whole.replace(/^.*\n/, '')}`);
    expect(ids(items)).toEqual(['1', '2', '3']);
    expect(items.at(-1)).toMatchObject({ kind: 'broken', reason: 'there is more after the end of the report' });
  });

  it('with any byte changed, is read, broken, cut or refused, and never more than it is', async () => {
    for (const byte of ['x', '<', '>', '&', '"', '\u0000', ' ', '/'])
      for (let at = 0; at < whole.length; at += 3) {
        const items = await read(whole.slice(0, at) + byte + whole.slice(at + 1)).catch((error: unknown) => {
          if (error instanceof NotOfFormat) return [];
          throw error;
        });
        expect(values(items).length).toBeLessThanOrEqual(3);
      }
  });

  it('damaged in its compression, gives what stands before', async () => {
    const packed = gzipSync(report(...Array.from({ length: 20_000 }, (_, n) => item(n, `${Math.sin(n)}`))));
    const items = await all(readXml(bufferSource(packed.subarray(0, packed.length / 2)), PATHS));
    expect(values(items).length).toBeGreaterThan(1000);
    expect(items.at(-1)).toMatchObject({ kind: 'truncated' });
    expect((items.at(-1) as { reason: string }).reason).toContain('compressed');
  });
});

describe('the limits of an XML record', () => {
  it.each<[string, string]>([
    ['a text of more than 1 MiB', item(2, `<title>${'x'.repeat(MIB + 1)}</title>`)],
    ['a CDATA section of more than 1 MiB', item(2, `<title><![CDATA[${'x'.repeat(MIB + 1)}]]></title>`)],
    ['a text of 9 MiB', item(2, `<title>${'x'.repeat(9 * MIB)}</title>`)],
    ['a text that is so long only in UTF-8', item(2, `<title>${'ü'.repeat(MIB / 2 + 1)}</title>`)],
    ['a text that is so long of entities', item(2, `<title>${'&#xfc;'.repeat(MIB / 2 + 1)}</title>`)],
    ['an attribute of more than 1 MiB', `<item id="2" x="${'x'.repeat(MIB + 1)}"/>`],
    ['an attribute of 3 MiB in it', item(2, `<title x="${'x'.repeat(3 * MIB)}"/>`)],
    ['more than 4 MiB', item(2, `<title>${'x'.repeat(80_000)}</title>`.repeat(60))],
    ['more than 4 MiB of tags', item(2, `<${'a'.repeat(50)}/>`.repeat(MIB / 12))],
    ['201 levels', item(2, nested(200))],
    ['50,000 levels', item(2, nested(50_000))],
    ['2,001 attributes', `<item ${Array.from({ length: 2_001 }, (_, n) => `a${n}=""`).join(' ')}/>`],
  ])('%s breaks it, and the others go on', async (_case, bad) => {
    for (const size of [0, 10_007]) {
      const items = await read(report(item(1), bad, item(3)), PATHS, size);
      expect(kinds(items)).toEqual(['open', 'value', 'broken', 'value']);
      expect(ids(items)).toEqual(['1', '3']);
    }
  });

  it.each<[string, string]>([
    ['a text of 1 MiB', item(2, `<title>${'x'.repeat(MIB)}</title>`)],
    ['200 levels', item(2, nested(199))],
    ['2,000 attributes', `<item id="2" ${Array.from({ length: 1_999 }, (_, n) => `a${n}=""`).join(' ')}/>`],
    ['a comment of 2 MiB between', `<!--${'x'.repeat(2 * MIB)}--><item id="2"/>`],
    [
      'texts of 9 MiB that nobody asked for',
      `<other x="${'y'.repeat(2 * MIB)}">${'x'.repeat(9 * MIB)}<![CDATA[${'x'.repeat(9 * MIB)}]]></other><item id="2"/>`,
    ],
    ['a part of 50,000 levels that nobody asked for', `<other>${nested(50_000)}</other><item id="2"/>`],
  ])('%s is within them', async (_case, good) => {
    expect(ids(await read(report(item(1), good, item(3))))).toEqual(['1', '2', '3']);
  });

  it.each<[string, string]>([
    ['a name that does not end', `<${'x'.repeat(5 * MIB)}`],
    ['an entity that does not end', item(2, `&${'x'.repeat(5 * MIB)}`)],
    ['a tag that does not end', `<item ${'a="" '.repeat(MIB)}`],
    ['a processing instruction that does not end', `<?x ${'a="" '.repeat(MIB)}`],
    ['200,000 levels', '<n>'.repeat(200_000)],
  ])('%s ends the reading', async (_case, bad) => {
    const items = await read(report(item(1), bad), PATHS);
    expect(ids(items)).toEqual(['1']);
    expect(items.at(-1)?.kind).toBe('truncated');
  });

  it('elements around wanted ones at any depth are nested so deep and no deeper: it takes no memory that grows with their square', async () => {
    const nested = (levels: number) => `<report>${'<x>'.repeat(levels)}<item/>${'</x>'.repeat(levels)}<item/></report>`;
    expect(kinds(await read(nested(100), ['report//item']))).toEqual(['value', 'value']);
    const items = await read(nested(100_000), ['report//item']);
    expect(items).toEqual([expect.objectContaining({ kind: 'truncated', reason: 'not well-formed: elements are nested too deep' })]);
  });

  it('a document type that does not end is not of the format', async () => {
    await expect(read(`<!DOCTYPE report [${'<!ELEMENT x (y)>'.repeat(MIB)}`)).rejects.toThrow(NotOfFormat);
  });
});

describe('the outline of an XML head', () => {
  const text = report(item(1), item(2, 'x'.repeat(300)));
  it('names the root, its namespace and what stands below', () => {
    const outline = outlineXml(
      `<?xml version="1.0"?><x:report xmlns:x="urn:x" at="now"><host name="h"><item id="1">one</item></host></x:report>`,
    );
    expect(outline).toMatchObject({ root: 'report', namespace: 'urn:x' });
    expect(Object.fromEntries(outline!.paths)).toMatchObject({
      '@at': 'now',
      host: '',
      'host/@name': 'h',
      'host/item': 'one',
      'host/item/@id': '1',
    });
    expect(outlineXml('<report xmlns="urn:d"/>')?.namespace).toBe('urn:d');
  });

  it('shows of a head that is cut anywhere what stands before the cut', () => {
    const whole = outlineXml(text)!;
    for (let at = 0; at < text.length; at++) {
      const outline = outlineXml(text.slice(0, at));
      if (at <= text.indexOf('"now">') + 5) expect(outline).toBeUndefined();
      else {
        expect(outline?.root).toBe('report');
        for (const path of outline!.paths.keys()) expect([...whole.paths.keys()]).toContain(path);
      }
    }
  });

  it.each(['', '{"a":1}', 'a,b\n1,2', 'text', '<', '<1>', '<?xml version="1.0"?>', '\u0000\u0001'])('is undefined for %j', (head) => {
    expect(outlineXml(head)).toBeUndefined();
  });

  it('is that of a report in any encoding of the source', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    expect(outlineXml(await readHead(bufferSource(gzipSync(utf16))))?.root).toBe('report');
  });
});

describe('the fields of an element', () => {
  const [element] = [
    `<item id="7" port="443" empty=" ">text <cve>CVE-1</cve><cve> CVE-1 </cve><cve>CVE-2</cve><cve/><score>9.8</score><a><b>deep</b></a><blank> </blank></item>`,
  ];
  let one: XmlElement;
  beforeAll(async () => {
    [one] = values(await read(report(element as string))) as [XmlElement];
  });

  it('are read by name and path', () => {
    expect(childrenOf(one, 'cve')).toHaveLength(4);
    expect(childrenOf(one)).toHaveLength(7);
    expect(childrenOf(undefined)).toEqual([]);
    expect(textsAt(one, 'cve')).toEqual(['CVE-1', 'CVE-2']);
    expect([textAt(one, 'a/b'), textAt(one, 'a/c'), textAt(one, 'blank')]).toEqual(['deep', undefined, undefined]);
    expect([numberAt(one, 'score'), numberAt(one, 'cve'), numberOf(one, 'port'), numberOf(one, 'empty')]).toEqual([
      9.8,
      undefined,
      443,
      undefined,
    ]);
    expect(requireChild(one, 'a').name).toBe('a');
  });

  it('that are required and absent are named', () => {
    expect(requireAttribute(one, 'id')).toBe('7');
    expect(requireTextAt(one, 'a/b')).toBe('deep');
    expect(() => requireAttribute(one, 'x')).toThrow('item/@x is missing');
    expect(() => requireAttribute(one, 'empty')).toThrow('item/@empty is empty');
    expect(() => requireTextAt(one, 'x/y')).toThrow('item/x/y is missing');
    expect(() => requireTextAt(one, 'blank')).toThrow('item/blank is empty');
    expect(() => requireChild(one, 'x')).toThrow('item/x is missing');
  });
});
