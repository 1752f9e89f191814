/** Bytes of a record that is told as one: readers of reports take no more than 4 MiB (RECORD_LIMITS), and the line says more than the answer. */
const MOST_BYTES = 3 * 1_048_576;

/**
 * An answer as it is, or in pieces that can be read each, with the same members and a part of one list: a page of large things is larger than a record may be.
 * @param list the member that holds them
 */
export function* piecesOf(
  answer: Readonly<Record<string, unknown>>,
  list: string,
  mostBytes = MOST_BYTES,
): Generator<Record<string, unknown>> {
  const things = answer[list];
  if (!Array.isArray(things) || things.length < 2) return yield { ...answer };
  let piece: unknown[] = [];
  let size = 0;
  for (const thing of things as unknown[]) {
    const bytes = Buffer.byteLength(JSON.stringify(thing) ?? 'null') + 1;
    if (piece.length > 0 && size + bytes > mostBytes) {
      yield { ...answer, [list]: piece };
      [piece, size] = [[], 0];
    }
    piece.push(thing);
    size += bytes;
  }
  yield { ...answer, [list]: piece };
}

/** As `piecesOf`, of an answer that may hold several lists: one that is too large tells each by itself. */
export function* piecesOfLists(answer: Readonly<Record<string, unknown>>, mostBytes = MOST_BYTES): Generator<Record<string, unknown>> {
  const lists = Object.keys(answer).filter((name) => Array.isArray(answer[name]));
  if (lists.length === 0 || Buffer.byteLength(JSON.stringify(answer)) <= mostBytes) return yield { ...answer };
  const rest = Object.fromEntries(Object.entries(answer).filter(([name]) => !lists.includes(name)));
  for (const list of lists) yield* piecesOf({ ...rest, [list]: answer[list] }, list, mostBytes);
}
