import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { PagedList } from './paged-list.js';

/** A list of the API; `reload` reads it anew, and so does another `turn`. */
export function usePages<Row>(path: string, turn = 0): { list: PagedList<Row>; reload: () => void } {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const [ownTurn, again] = useReducer((count: number) => count + 1, 0);
  const last = useRef<PagedList<Row> | null>(null);
  const list = useMemo(() => {
    const before = last.current?.path === path ? last.current : null;
    return (last.current = new PagedList<Row>(path, () => draw(undefined), before));
  }, [path, turn, ownTurn]);
  useEffect(() => {
    list.want(0, 0);
    return () => list.close();
  }, [list]);
  return { list, reload: () => again(undefined) };
}
