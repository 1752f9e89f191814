import { StringDecoder } from 'node:string_decoder';
import { withFirst } from '../source.js';
import { NotOfFormat, type ReportSource } from '../../types.js';

/** Enough of a report to hold its declaration. */
const DECLARATION_BYTES = 1_024;
const PIECE_CHARS = 64 * 1024;
const DECLARED = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*(?:"([^"]*)"|'([^']*)')/;

/**
 * The text of an XML report in pieces, decoded as its declaration says; UTF-8 where it says nothing. UTF-16 comes as UTF-8 from the source,
 * whatever is declared. Throws NotOfFormat for an encoding that there is no decoder for, and what the source throws.
 */
export async function* xmlText(source: ReportSource): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  for await (const chunk of withFirst(source.open() as AsyncIterable<Buffer>, DECLARATION_BYTES)) {
    decoder ??= decoderOf(chunk);
    yield* pieces(decoder.write(chunk));
  }
  yield* pieces(decoder?.end() ?? '');
}

interface Decoder {
  write(bytes: Buffer): string;
  end(): string;
}

function decoderOf(head: Buffer): Decoder {
  const [, double, single] = DECLARED.exec(head.toString('latin1', 0, DECLARATION_BYTES)) ?? [];
  const label = (double ?? single ?? '').trim().toLowerCase();
  if (label === '' || /^(?:utf-?8|utf-?16|ucs-?2|iso-10646-ucs-2)/.test(label)) return new StringDecoder('utf8');
  try {
    const decoder = new TextDecoder(label);
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  } catch {
    throw new NotOfFormat(`the report is written in ${label.slice(0, 40)}, which cannot be decoded: write it in UTF-8`);
  }
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARS) yield text.slice(at, at + PIECE_CHARS);
}
