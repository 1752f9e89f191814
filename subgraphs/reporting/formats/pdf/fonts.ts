import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Font } from 'fontkit';

const packages = createRequire(import.meta.url);
/** What stands for a letter that no font has. */
const REPLACEMENT = '\uFFFD';

type Weight = 'regular' | 'bold';

/** A font of a document. */
export interface Face {
  readonly name: string;
  readonly font: Font;
}

/** Letters of one font that follow each other. */
export interface Run {
  readonly face: Face;
  readonly text: string;
}

/** The fonts in the order in which they are asked for a letter (fonts.tsv): `any` weight is what there is of a script. */
const LISTED = readFileSync(new URL('./fonts.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [weight: Weight | 'any', name: string, file: string]);

/** The file of a font: beside this module where the build has put it, else in its package, which is needed to build only. */
function pathOf(name: string, file: string): string {
  const built = fileURLToPath(new URL(`./fonts/${file}`, import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL(`../fonts/${file}`, `file://${packages.resolve(name)}`));
}

/** Letters that stand beside each other as they are: all but those of scripts that join them, and marks. */
const SIMPLE =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}]*$/u;

/** A font that sets simple letters side by side, which takes a tenth of the time of a whole layout (kerning, ligatures). */
function quick(font: Font): Font {
  const layout = (text: string) => {
    if (!SIMPLE.test(text)) return font.layout(text);
    const glyphs = [...text].map((one) => font.glyphForCodePoint(one.codePointAt(0)!));
    const positions = glyphs.map(({ advanceWidth }) => ({ xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 }));
    return { glyphs, positions, advanceWidth: glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0) };
  };
  return Object.create(font, { layout: { value: layout } }) as Font;
}

/** The fonts of one document: each is read when a text first needs it, and is let go with the document. */
export class Fonts {
  private readonly faces = new Map<string, Face>();
  private readonly known: Readonly<Record<Weight, Map<string, Face | null>>> = { regular: new Map(), bold: new Map() };

  /** @param open reads a font (fontkit) */
  private constructor(private readonly open: (path: string) => Font) {}

  static async load(): Promise<Fonts> {
    // few processes ever make a document
    const { openSync } = await import('fontkit');
    return new Fonts((path) => quick(openSync(path) as Font));
  }

  /**
   * Text as one line that the fonts can show: letters lose marks that no font has, and U+FFFD stands for those that no font has at all.
   * @param note told how many characters were replaced
   */
  shown(text: string, note: (replaced: number) => void = () => undefined): string {
    const line = text
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim();
    if (/^[\x20-\x7e]*$/.test(line)) return line;
    let replaced = 0;
    const has = (one: string) => !/^\p{C}$/u.test(one) && this.faceOf(one, 'regular') !== null;
    const shown = [...line].map((one) => {
      if (has(one)) return one;
      const bare = [...one.normalize('NFKD')].filter(has).join('');
      if (bare === '') replaced += 1;
      return bare === '' ? REPLACEMENT : bare;
    });
    if (replaced > 0) note(replaced);
    return shown.join('');
  }

  /** What `shown` gave, by its fonts. */
  runs(text: string, isBold = false): Run[] {
    const runs: { face: Face; text: string }[] = [];
    for (const one of text) {
      const face = this.of(one, isBold);
      const last = runs.at(-1);
      if (last?.face === face) last.text += one;
      else runs.push({ face, text: one });
    }
    return runs;
  }

  /** The width of a letter in its size. */
  widthOf(one: string, isBold = false): number {
    const { font } = this.of(one, isBold);
    return font.glyphForCodePoint(one.codePointAt(0)!).advanceWidth / font.unitsPerEm;
  }

  /** The font of a letter; what none has is shown by the first one, as a box. */
  private of(one: string, isBold: boolean): Face {
    const weight = isBold ? 'bold' : 'regular';
    return this.faceOf(one, weight) ?? this.faceOf(REPLACEMENT, weight)!;
  }

  private faceOf(one: string, weight: Weight): Face | null {
    const known = this.known[weight];
    let face = known.get(one);
    if (face === undefined) {
      const listed = LISTED.find(
        (line) => (line[0] === 'any' || line[0] === weight) && this.face(line).font.hasGlyphForCodePoint(one.codePointAt(0)!),
      );
      face = listed ? this.face(listed) : null;
      known.set(one, face);
    }
    return face;
  }

  private face([, name, file]: (typeof LISTED)[number]): Face {
    let face = this.faces.get(file);
    if (!face) this.faces.set(file, (face = { name: file, font: this.open(pathOf(name, file)) }));
    return face;
  }
}
