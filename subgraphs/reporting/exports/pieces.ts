import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { JobFailure } from '../../../kit/engine/job.js';
import type { Database, TenantDatabase } from '../../../kit/store/database.js';
import { bytesOf } from '../../../kit/store/fields.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { exportPieces, pieceId } from './records.js';

/** Bytes of a piece, and of a whole file at most. */
export const PIECE_BYTES = 1_048_576;
const MOST_BYTES = 4_294_967_296;
/** Pieces removed in one go. */
const REMOVED_AT_ONCE = 50;

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

/** Notes how far a file is, in the transaction of a piece. */
export type NotePiece = (transaction: TransactionOf, number: number) => Promise<void>;

/** Writes a file in pieces, and knows its size and digest. */
export class PieceWriter {
  private readonly digest = createHash('sha256');
  private waiting: Uint8Array[] = [];
  private length = 0;
  size = 0;
  pieces = 0;

  /** @param isCompressed the bytes are packed already */
  constructor(
    private readonly database: Database,
    private readonly tenantId: string,
    private readonly exportId: string,
    private readonly isCompressed: boolean,
    private readonly note: NotePiece,
    private readonly pieceBytes = PIECE_BYTES,
  ) {}

  /** @throws JobFailure when the file becomes too large; what the note throws */
  async write(part: string | Uint8Array): Promise<void> {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    this.size += bytes.length;
    if (this.size > MOST_BYTES) throw new JobFailure('The file would be larger than 4 GiB; a filter makes it smaller.');
    this.digest.update(bytes);
    this.waiting.push(bytes);
    this.length += bytes.length;
    while (this.length >= this.pieceBytes) {
      const all = Buffer.concat(this.waiting);
      const left = all.subarray(this.pieceBytes);
      [this.waiting, this.length] = [[left], left.length];
      await this.store(all.subarray(0, this.pieceBytes), this.note);
    }
  }

  /** Writes what is left, within the transaction of `note`, which is told the digest of the whole. */
  async end(note: (transaction: TransactionOf, sha256: string) => Promise<void>): Promise<void> {
    const sha256 = this.digest.digest('hex');
    await this.store(Buffer.concat(this.waiting), (transaction) => note(transaction, sha256));
  }

  private async store(bytes: Uint8Array, note: NotePiece): Promise<void> {
    const number = this.pieces;
    const packed = !this.isCompressed;
    const kept = packed ? await pack(bytes, { level: constants.Z_BEST_SPEED }) : Buffer.from(bytes);
    const row = { _id: pieceId(this.exportId, number), tenant_id: this.tenantId, export_id: this.exportId, number, bytes: kept, packed };
    this.pieces = number + 1;
    await this.database.transaction(async (transaction) => {
      await this.database.tenant(this.tenantId).collection(exportPieces).insert(row, { transaction });
      await note(transaction, number);
    });
  }
}

/** One piece of a file; null when it is not there. */
export async function readPiece(tenant: TenantDatabase, exportId: string, number: number): Promise<Uint8Array | null> {
  const row = await tenant.collection(exportPieces).findOne({ _id: pieceId(exportId, number) });
  if (!row) return null;
  const kept = bytesOf(row.bytes);
  return row.packed ? unpack(kept) : kept;
}

/** Removes the pieces of a file, some at a time. */
export async function removePieces(tenant: TenantDatabase, exportId: string): Promise<void> {
  const rows = tenant.collection(exportPieces);
  for (;;) {
    const found = await rows.find({ export_id: exportId }, { fields: ['_id'], limit: REMOVED_AT_ONCE });
    if (found.length === 0) return;
    await rows.remove({ _id: { $in: found.map(({ _id }) => _id) } });
  }
}
