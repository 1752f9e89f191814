import type { RestAnswer, RestClient } from '../rest-client.js';
import type { GraphTable } from './asked.js';
import { codeOf } from './client.js';

const PATH = '/providers/Microsoft.ResourceGraph/resources?api-version=2022-10-01';
/** Rows of a page; of large rows there are fewer. */
const TOPS = [1_000, 200, 20];

/** A question to Azure Resource Graph. */
export interface GraphQuery {
  readonly table: GraphTable | 'appserviceresources';
  readonly types: readonly string[];
  /** Only these, and what has no place or is everywhere; all when there is none. */
  readonly regions?: readonly string[];
}

const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text.replaceAll(/[^\w./-]/g, '')}'`).join(', ');

function textOf({ table, types, regions = [] }: GraphQuery): string {
  // only this table has places for sure
  const narrow =
    regions.length === 0 || table !== 'resources' ? '' : ` | where isempty(location) or location in~ (${quoted([...regions, 'global'])})`;
  return `${table} | where type in~ (${quoted(types)})${narrow} | order by id asc`;
}

/** Asks for a page of a query. @param skipToken of the page before; undefined for the first */
export async function askGraph(
  client: RestClient,
  subscriptionId: string,
  query: GraphQuery,
  skipToken: string | undefined,
  signal: AbortSignal,
): Promise<RestAnswer> {
  const options = {
    resultFormat: 'objectArray',
    // what is granted above the subscription holds in it
    ...(query.table === 'authorizationresources' && { authorizationScopeFilter: 'AtScopeAboveAndBelow' }),
    ...(skipToken !== undefined && { $skipToken: skipToken }),
  };
  for (const [n, top] of TOPS.entries()) {
    const body = { subscriptions: [subscriptionId], query: textOf(query), options: { ...options, $top: top } };
    const answer = await client.call({ path: PATH, method: 'POST', body }, signal);
    if (answer.ok || n === TOPS.length - 1 || codeOf(answer) !== 'ResponsePayloadTooLarge') return answer;
  }
  throw new Error('azure: no page was asked for');
}

/** The token of the next page. */
export const nextOfGraph = (page: Readonly<Record<string, unknown>>): unknown => page['$skipToken'];

/** Whether rows were left out behind a page, and nothing leads there. */
export const isCut = (page: Readonly<Record<string, unknown>>): boolean => page['resultTruncated'] === 'true' && !page['$skipToken'];
