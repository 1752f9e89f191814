import type { Permission } from '../../../schema/permissions.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { bytes, date, flag, list, nullable, number, object, text, textOf } from '../../../kit/store/fields.js';
import { DUE_FIELDS, DUE_INDEX } from '../../../kit/work/due.js';
import type { SubjectKind } from '../formats/format.js';
import type { Filter } from '../subjects/subject.js';

/** How an export stands. While it is `writing`, its job tells more. */
export type ExportState = 'writing' | 'completed' | 'failed' | 'cancelled' | 'expired';

/** Files that were asked for; `_id` is that of the job that writes one. A row is due when something of it is to be removed. */
export const exportsMade = defineCollection(
  'exports',
  {
    subject: textOf<SubjectKind>(),
    format: text,
    filter: object<Filter>(),
    /** The engines whose findings are in it. */
    engines: list(text),
    /** What it takes to read all of it. */
    permissions: list(textOf<Permission>()),
    title: text,
    owner_id: text,
    created_by: text,
    /** The report that it was made for. */
    report_id: nullable(text),
    state: textOf<ExportState>(),
    reason: nullable(text),
    rows: number,
    /** Bytes and digest of the whole file. */
    size: number,
    sha256: nullable(text),
    pieces: number,
    /** What readers of the file are told: `cells_cut`. */
    notes: object<Record<string, number>>(),
    created_at: date,
    completed_at: nullable(date),
    expires_at: nullable(date),
    ...DUE_FIELDS,
  },
  [DUE_INDEX, { key: { tenant_id: 1, state: 1 } }],
);
export type ExportRow = RowOf<typeof exportsMade>;

/** The bytes of files in pieces of one size, the last of a file excepted; `_id` is `<export>|<number>`. */
export const exportPieces = defineCollection('export_pieces', { export_id: text, number: number, bytes: bytes, packed: flag }, [
  { key: { tenant_id: 1, export_id: 1, number: 1 } },
]);

export const pieceId = (exportId: string, number: number): string => `${exportId}|${number}`;
