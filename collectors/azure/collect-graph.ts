import { pagesOf } from '../pages.js';
import { piecesOf } from '../pieces.js';
import { CallFailed } from '../rest-client.js';
import type { NotAnswered, RecordedAnswer } from '../types.js';
import type { GraphTable } from './asked.js';
import { saidBy } from './client.js';
import { listsOf } from './diagnosed.js';
import { askGraph, isCut, nextOfGraph, type GraphQuery } from './graph.js';
import { noteConfigs, SITE_CONFIGS, withConfig } from './site-configs.js';
import { AZURE_SERVICES } from './services.js';
import { partOfType, servicesIn, type AzureWork, type Thing } from './work.js';

/** What the graph tells, page by page. @param things is given what the graph has told, for the lists below it */
export async function* collectGraph(work: AzureWork, things: Thing[]): AsyncGenerator<RecordedAnswer | NotAnswered> {
  const { target, mayRead } = work;
  const byTable = new Map<GraphTable, string[]>();
  for (const { graph } of servicesIn(target))
    for (const [table, types] of Object.entries(graph) as [GraphTable, string[]][])
      byTable.set(table, [...(byTable.get(table) ?? []), ...types.filter(mayRead)]);

  const configs = new Map<string, Readonly<Record<string, unknown>>>();
  const sites = servicesIn(target).some(({ service }) => service === 'web') ? SITE_CONFIGS.filter(mayRead) : [];
  for await (const told of pagesOfQuery(work, { table: 'appserviceresources', types: sites }))
    if ('response' in told) noteConfigs(rowsOf(told.response), configs);
    else yield told;

  for (const [table, types] of byTable) {
    let isWhole = true;
    for await (const told of pagesOfQuery(work, { table, types, regions: target.regions })) {
      if (!('response' in told)) {
        isWhole = false;
        yield told;
        continue;
      }
      const data = rowsOf(told.response).map((row) => withConfig(row, configs));
      for (const row of data) things.push(...thingOf(row));
      for (const [part, rows] of byPart(data))
        for (const piece of piecesOf({ ...told.response, data: rows }, 'data')) yield { ...told, part, response: piece };
    }
    if (isWhole) for (const type of types) work.whole.add(partOfType(type));
  }
}

/** The rows of a page by the part that tells them; of an empty page, itself. */
function byPart(rows: readonly unknown[]): Map<string, unknown[]> {
  const parts = new Map<string, unknown[]>();
  for (const row of rows.length > 0 ? rows : [undefined]) {
    const { type } = (row ?? {}) as { type?: unknown };
    const part = partOfType(typeof type === 'string' ? type : '');
    parts.set(part, [...(parts.get(part) ?? []), ...(row === undefined ? [] : [row])]);
  }
  return parts;
}

interface Page {
  readonly source: string;
  readonly response: Readonly<Record<string, unknown>>;
}

/** The pages of a query; where it ends before its end, that it does. */
async function* pagesOfQuery({ client, target, signal }: AzureWork, query: GraphQuery): AsyncGenerator<Page | NotAnswered> {
  if (query.types.length === 0) return;
  const source = `azure/resource-graph/${query.table}`;
  const pages = pagesOf((token) => askGraph(client, target.account_id, query, token, signal), nextOfGraph);
  try {
    for (;;) {
      const { done, value } = await pages.next();
      if (!done) {
        yield { source, response: value };
        if (isCut(value)) yield { source, not_answered: 'The graph left out what is behind a page, and names no next one.' };
      } else {
        if (value?.answer.status === 403)
          yield { source, not_answered: 'The permission Microsoft.ResourceGraph/resources/read is missing.' };
        else if (value !== undefined) yield { source, not_answered: `The graph ${saidBy(value.answer)}.` };
        return;
      }
    }
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    yield { source, not_answered: error.message };
  }
}

/** Types below which resource providers have lists. */
const HOLDERS = new Set(
  AZURE_SERVICES.flatMap((service) => listsOf(service).flatMap(({ of = [] }) => of)).map((type) => type.toLowerCase()),
);

const rowsOf = (page: Readonly<Record<string, unknown>>): unknown[] => (Array.isArray(page['data']) ? (page['data'] as unknown[]) : []);

function* thingOf(row: unknown): Generator<Thing> {
  const { id, type, kind, location } = (row ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof type !== 'string' || !id.startsWith('/') || !HOLDERS.has(type.toLowerCase())) return;
  yield { id, type, kind: typeof kind === 'string' ? kind : '', location: typeof location === 'string' ? location : '' };
}
