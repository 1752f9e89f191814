import { badRequest, conflict } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { CYCLONEDX } from './cyclonedx.js';
import type { BomWriter } from './bom-writer.js';
import { components, rowsOf, sbomDependencies, sbomRowId, sboms, type SbomRow } from './records.js';
import { SPDX } from './spdx.js';

/** Components of one piece: about a quarter of a mebibyte. */
const MOST_COMPONENTS = 500;
/** Rows of dependencies of one piece. */
const MOST_ROWS = 4;

/** A part of a document, and where the next one begins; null after the last. */
export interface SbomPiece {
  readonly media_type: string;
  readonly text: string;
  readonly next: string | null;
}

/** What a piece is of: the components, or the dependencies, behind a row. */
interface Place {
  readonly list: 'components' | 'dependencies';
  readonly after: string;
  /** The run whose document this is: a newer one is another document. */
  readonly run: string;
}

/** The media types of the documents, the first where nobody asks for one. */
export const SBOM_TYPES = [CYCLONEDX.mediaType, SPDX.mediaType] as const;

const writerOf = (accept: string | null | undefined): BomWriter => (/\bspdx\b/i.test(accept ?? '') ? SPDX : CYCLONEDX);

/**
 * A piece of the bill of materials of an artifact; null when the tenant has none of it.
 * @param accept media types that the caller takes
 * @throws PalisadeError BAD_REQUEST for a place that is none; CONFLICT when a newer document has come meanwhile
 */
export async function sbomPiece(
  context: EngineContext,
  { artifact_id, accept, after }: { artifact_id: string; accept?: string | null; after?: string | null },
): Promise<SbomPiece | null> {
  const _id = sbomRowId(context.auth.tenant_id, artifact_id);
  const sbom = await context.collection(sboms).findOne({ _id });
  if (!sbom) return null;
  const writer = writerOf(accept);
  const place = after == null ? null : readPlace(after, _id);
  if (place && place.run !== sbom.scan_run_id) throw conflict('A newer document of the artifact has come meanwhile: begin again');
  const { text, next } = await write(context, writer, sbom, place ?? { list: 'components', after: `${_id}|`, run: sbom.scan_run_id });
  return { media_type: writer.mediaType, text: place ? text : `${writer.head(sbom)}${text}`, next };
}

async function write(
  context: EngineContext,
  writer: BomWriter,
  sbom: SbomRow,
  place: Place,
): Promise<{ text: string; next: string | null }> {
  const isFirst = place.after === `${sbom._id}|`;
  const sort = { _id: 1 } as const;
  if (place.list === 'components') {
    const rows = await context.collection(components).find(rowsOf(sbom._id, place.after), { sort, limit: MOST_COMPONENTS });
    const text = joined(rows.flatMap(writer.components), isFirst);
    if (rows.length === MOST_COMPONENTS) return { text, next: JSON.stringify({ ...place, after: rows.at(-1)!._id }) };
    const next: Place = { ...place, list: 'dependencies', after: `${sbom._id}|` };
    return { text: `${text}${writer.between(sbom)}`, next: JSON.stringify(next) };
  }
  const rows = await context.collection(sbomDependencies).find(rowsOf(sbom._id, place.after), { sort, limit: MOST_ROWS });
  const own = rows.filter(({ scan_run_id }) => scan_run_id === sbom.scan_run_id);
  const text = joined(
    writer.dependencies(
      own.flatMap(({ edges }) => edges),
      sbom,
    ),
    isFirst && writer.beginsDependencies(sbom),
  );
  if (rows.length === MOST_ROWS) return { text, next: JSON.stringify({ ...place, after: rows.at(-1)!._id }) };
  return { text: `${text}${writer.tail}`, next: null };
}

/** Values as members of a list, each on a line. */
const joined = (values: readonly object[], isFirst: boolean): string =>
  values.map((value, n) => `${isFirst && n === 0 ? '' : ','}\n${JSON.stringify(value)}`).join('');

function readPlace(text: string, sbomId: string): Place {
  try {
    const { list, after, run } = JSON.parse(text) as Partial<Record<keyof Place, unknown>>;
    const isOurs = typeof after === 'string' && after.startsWith(`${sbomId}|`) && typeof run === 'string';
    if (isOurs && (list === 'components' || list === 'dependencies')) return { list, after, run };
  } catch {
    // said below
  }
  throw badRequest('after must be what a piece of this document gave as next');
}
