import { layOutAround, type AssetEdge } from '../../console/app/assets/neighbourhood.js';

const edge = (from: string, to: string, kind = 'contains'): AssetEdge => ({ from, to, kind });
const placesIn = (edges: readonly AssetEdge[]) =>
  Object.fromEntries(layOutAround('m', edges).spots.map(({ key, column, row }) => [key, [column, row]]));

describe('what is around an asset, as it is drawn', () => {
  it('stands on the left where it leads to it, on the right where it is led to, and further away hop by hop', () => {
    const edges = [edge('a', 'm'), edge('m', 'b'), edge('m', 'c', 'reaches'), edge('b', 'd'), edge('e', 'a')];
    expect(placesIn(edges)).toEqual({ m: [0, 0], a: [-1, 0], b: [1, 0], c: [1, 1], d: [2, 0], e: [-2, 0] });
    expect(layOutAround('m', edges).columns).toEqual([-2, 2]);
  });

  it('is drawn the same whatever order its edges come in', () => {
    const edges = Array.from({ length: 30 }, (_, index) =>
      edge(index % 2 ? 'm' : `n${index}`, index % 2 ? `n${index}` : 'm', `k${index % 3}`),
    );
    expect(placesIn([...edges].reverse())).toEqual(placesIn(edges));
  });

  it('has at most 60 nodes: those at the rim that stand there alike are one, with their number', () => {
    const many = [...Array.from({ length: 200 }, (_, index) => edge('m', `n${index}`)), edge('m', 'other', 'reaches'), edge('n7', 'far')];
    const { spots, links } = layOutAround('m', many);
    const group = spots.find(({ uid }) => uid === null);
    // n7 leads on, so it is one by itself
    expect([spots.length, group?.count, group?.column]).toEqual([5, 199, 1]);
    expect(spots.reduce((sum, { count }) => sum + count, 0)).toBe(203);
    expect(links).toHaveLength(4);
  });

  it('stands alone where nothing is around it', () => {
    expect(layOutAround('m', [edge('m', 'm')])).toMatchObject({ spots: [{ uid: 'm' }], links: [], rows: 1 });
  });
});
