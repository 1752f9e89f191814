import { loadCatalog } from '../../catalog/catalog.js';
import { importers } from '../../importers/index.js';
import { engines } from '../../subgraphs/index.js';

const listed = engines.map(({ name }) => name);
const taking = engines.filter(({ findings }) => findings !== null).map(({ name }) => name);

describe.each(importers.map((importer) => [importer.name, importer] as const))('the format %s', (_format, importer) => {
  it('names engines that there are', () => {
    expect(importer.engines.filter((engine) => !listed.includes(engine))).toEqual([]);
    expect(importer.engines.length).toBeGreaterThan(0);
  });
});

test('every rule of the catalog belongs to an engine that takes findings', () => {
  expect([...new Set(loadCatalog().rules.map(({ engine }) => engine))].filter((engine) => !taking.includes(engine))).toEqual([]);
});
