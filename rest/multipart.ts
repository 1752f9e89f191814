import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Readable } from 'node:stream';
import { badRequest, invalid } from '../kit/base/errors.js';

const LIMITS = { fields: 20, fieldSize: 8_192, fieldNameSize: 64, files: 1, parts: 22, headerPairs: 20 };

/** A read form: its text fields in order, and what became of its one file, null when it has none. */
export interface MultipartForm<Stored> {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly file: Stored | null;
}

function open(contentType: string, fileField: string): InstanceType<typeof Busboy> {
  const isPartAFile = (name: string | undefined, _type: string | undefined, filename: string | undefined) =>
    name === fileField || filename !== undefined;
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS, isPartAFile });
  } catch {
    throw badRequest('The multipart form has no valid boundary');
  }
}

/**
 * Reads a multipart/form-data body (RFC 7578) whose file is streamed away while it comes.
 * @param body decompressed
 * @param fileField name of the only file field
 * @param store takes the file; what it stored is undone with `discard` when the form turns out wrong
 * @throws PalisadeError BAD_REQUEST for a damaged form, VALIDATION_ERROR for fields that do not belong, and what `body` or `store` fail with
 */
export async function readMultipart<Stored>(
  body: Readable,
  contentType: string,
  fileField: string,
  store: (file: Readable) => Promise<Stored>,
  discard: (stored: Stored) => Promise<void>,
): Promise<MultipartForm<Stored>> {
  const form = open(contentType, fileField);
  const fields: [string, string][] = [];
  let file: BusboyFileStream | null = null;
  let stored: Promise<Stored> | null = null;
  const read = new Promise<void>((resolve, reject) => {
    const refuse = (path: string, message: string) => reject(invalid([{ path, message }]));
    body.on('error', reject);
    form.on('error', () => reject(badRequest('The multipart form is damaged')));
    form.once('finish', resolve);
    form.on('field', (name: string, value: string, nameTruncated: boolean, valueTruncated: boolean) => {
      if (nameTruncated || valueTruncated) refuse(String(name).slice(0, 64), 'is too long');
      else fields.push([String(name), value]);
    });
    form.on('file', (name: string, stream: BusboyFileStream) => {
      // The parser reports a form that ends too early on the file as well as on itself.
      stream.on('error', () => reject(badRequest('The multipart form is damaged')));
      if (name !== fileField) {
        stream.resume();
        return refuse(String(name).slice(0, 64), `is not a known file; send it as ${fileField}`);
      }
      file = stream;
      stored = store(stream);
      stored.catch(reject);
    });
    form.once('filesLimit', () => refuse(fileField, 'only one file is taken'));
    for (const limit of ['fieldsLimit', 'partsLimit'] as const) form.once(limit, () => refuse('', 'has too many parts'));
    body.pipe(form);
  });
  try {
    await read;
    return { fields, file: await (stored as Promise<Stored> | null) };
  } catch (error) {
    body.unpipe(form);
    (file as BusboyFileStream | null)?.destroy(error as Error);
    const kept = await (stored as Promise<Stored> | null)?.then(
      (value) => ({ value }),
      () => null,
    );
    if (kept) await discard(kept.value);
    throw error;
  }
}
