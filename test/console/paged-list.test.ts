import { PagedList } from '../../console/app/paged-list.js';

interface Row {
  readonly id: number;
}

/** What the server says to each page, by its number; a page without answers is not reached. */
let answers: Map<number, () => Response>;
let asked: number[];

beforeEach(() => {
  answers = new Map();
  asked = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation((path) => {
    const page = Number(new URL(path as string, 'http://here').searchParams.get('page'));
    asked.push(page);
    const answer = answers.get(page);
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError('fetch failed'));
  });
});
afterEach(() => jest.restoreAllMocks());

/** Until every answer that is on its way was taken. */
const arrived = () => new Promise((resolve) => setTimeout(resolve, 5));
const rowsFrom = (first: number, total: number) => () =>
  Response.json({ items: Array.from({ length: Math.min(100, total - first) }, (_, at) => ({ id: first + at })), total });

describe('a list that is read by pages', () => {
  it('asks again for a page that failed, and forgets its error once it is here', async () => {
    const list = new PagedList<Row>('/rows', () => undefined);
    answers.set(1, rowsFrom(0, 300)).set(3, rowsFrom(200, 300));
    list.want(0, 0);
    await arrived();
    list.want(120, 220);
    await arrived();
    // the third is here, and does not hide that the second is not
    expect([list.rowAt(150), list.rowAt(250), list.error?.code]).toEqual([undefined, { id: 250 }, 'OFFLINE']);
    answers.set(2, rowsFrom(100, 300));
    list.want(120, 220);
    await arrived();
    expect([list.rowAt(150), list.error, asked]).toEqual([{ id: 150 }, null, [1, 2, 3, 2]]);
  });

  it('asks again for the pages that failed, and for them alone, where somebody wants that', async () => {
    const list = new PagedList<Row>('/rows', () => undefined);
    list.want(0, 0);
    await arrived();
    expect([list.total, list.error?.status]).toEqual([null, 0]);
    answers.set(1, rowsFrom(0, 3));
    list.retry();
    expect(list.error).toBeNull();
    await arrived();
    list.retry();
    expect([list.total, list.rowAt(2), asked]).toEqual([3, { id: 2 }, [1, 1]]);
  });

  it('keeps its rows and its number where a later page lacks an engine, and asks for that page again', async () => {
    const list = new PagedList<Row>('/rows', () => undefined);
    answers.set(1, rowsFrom(0, 300)).set(2, () => Response.json({ items: [], total: 0, degradedEngines: ['check'] }));
    list.want(0, 0);
    await arrived();
    list.want(120, 130);
    await arrived();
    expect([list.total, list.rowAt(0), list.error?.status, list.degraded]).toEqual([300, { id: 0 }, 503, []]);
    answers.set(2, rowsFrom(100, 300));
    list.retry();
    await arrived();
    expect([list.total, list.rowAt(150), list.error]).toEqual([300, { id: 150 }, null]);
  });

  it('is read anew though it was empty', async () => {
    const before = new PagedList<Row>('/rows', () => undefined);
    answers.set(1, rowsFrom(0, 0));
    before.want(0, 0);
    await arrived();
    answers.set(1, rowsFrom(0, 1));
    const list = new PagedList<Row>('/rows', () => undefined, before);
    list.want(0, 0);
    await arrived();
    expect([before.total, list.total, list.rowAt(0)]).toEqual([0, 1, { id: 0 }]);
  });

  it('shows what it had until it is read anew, and nothing of that afterwards', async () => {
    const before = new PagedList<Row>('/rows', () => undefined);
    answers.set(1, rowsFrom(0, 150)).set(2, rowsFrom(100, 150));
    before.want(0, 0);
    await arrived();
    before.want(100, 120);
    await arrived();
    before.close();
    const list = new PagedList<Row>('/rows', () => undefined, before);
    expect([list.total, list.rowAt(120)]).toEqual([150, { id: 120 }]);
    answers.clear();
    list.want(0, 0);
    await arrived();
    // a refusal leaves it as well
    expect([list.total, list.rowAt(120), list.error?.code]).toEqual([150, { id: 120 }, 'OFFLINE']);
    answers.set(1, rowsFrom(0, 101));
    list.retry();
    await arrived();
    expect([list.total, list.rowAt(0), list.rowAt(120), list.error]).toEqual([101, { id: 0 }, undefined, null]);
  });
});
