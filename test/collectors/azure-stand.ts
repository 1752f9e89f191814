import { openReceiver, type Received, type Reply } from '../support/receiver.js';

export const SUBSCRIPTION = '00000000-0000-4000-8000-000000000001';
export const DIRECTORY = '00000000-0000-4000-8000-0000000000d1';
export const CLIENT = '00000000-0000-4000-8000-0000000000c1';
export const SECRET = 'the secret of the application';

export type Row = Record<string, unknown> & { id: string; type: string };

/** The identifier of a thing in the subscription. */
export const idOf = (type: string, ...names: string[]): string => {
  const [namespace, ...steps] = type.split('/');
  const path = steps.map((step, n) => `${step}/${names[n] ?? 'default'}`).join('/');
  return `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop/providers/${namespace}/${path}`;
};
/** A row of the graph, which writes types in small letters. */
export const row = (type: string, names: string[], properties: unknown, more: Record<string, unknown> = {}): Row => ({
  ...{ id: idOf(type, ...names), name: names.at(-1), type: type.toLowerCase(), location: 'westeurope', kind: '', properties },
  ...more,
});

/** What a stand of Azure has, and does otherwise than it should. */
export interface AzureWorld {
  /** Rows by table of the graph. */
  graph: Readonly<Record<string, readonly Row[]>>;
  /** Answers of lists by the end of their path, without the query. */
  lists: Readonly<Record<string, readonly unknown[]>>;
  permissions: readonly { actions: string[]; notActions: string[] }[];
  /** Rows of a page of the graph. */
  page: number;
  /** Seconds for which a token is good. */
  expires: number;
  /** Answers instead, where it gives one. */
  instead: (call: Received & { where: string; table: string | undefined }) => Reply | undefined;
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
export const failure = (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  json(status, { error: { code, message: `Someone ${CLIENT} may not` } }, headers);

/** Azure's directory and Resource Manager as far as they are asked, as they are documented: tokens are checked, lists are paged. */
export async function openAzureStand(given: Partial<AzureWorld>) {
  const world: AzureWorld = {
    ...{
      graph: {},
      lists: {},
      permissions: [{ actions: ['*/read'], notActions: [] }],
      page: 1_000,
      expires: 3_600,
      instead: () => undefined,
    },
    ...given,
  };
  let tokens = 0;
  const receiver = await openReceiver(async (message) => {
    const url = new URL(message.path, 'http://stand');
    const where = decodeURIComponent(url.pathname);
    const query = where.endsWith('/Microsoft.ResourceGraph/resources') ? (JSON.parse(message.body) as GraphBody) : undefined;
    const instead = world.instead({ ...message, where, table: query?.query.split(' ')[0] });
    if (instead !== undefined) return instead;
    if (where === `/${DIRECTORY}/oauth2/v2.0/token`) {
      const form = new URLSearchParams(message.body);
      const isRight =
        form.get('client_secret') === SECRET &&
        form.get('client_id') === CLIENT &&
        form.get('grant_type') === 'client_credentials' &&
        form.get('scope') === 'https://management.azure.com/.default';
      if (!isRight) return json(401, { error: 'invalid_client', error_description: `AADSTS7000215: ${CLIENT}`, error_codes: [7000215] });
      return json(200, { token_type: 'Bearer', expires_in: world.expires, access_token: `token-${++tokens}` });
    }
    if (message.headers.authorization !== `Bearer token-${tokens}`) return failure(401, 'InvalidAuthenticationToken');
    if (!url.searchParams.has('api-version')) return failure(400, 'MissingApiVersionParameter');
    if (query) return json(200, answerOf(query, world));
    if (where === `/subscriptions/${SUBSCRIPTION}`) return json(200, { id: where, subscriptionId: SUBSCRIPTION, tenantId: DIRECTORY });
    if (where.endsWith('/providers/Microsoft.Authorization/permissions')) return json(200, { value: world.permissions });
    const list = Object.entries(world.lists).find(([end]) => where.endsWith(end))?.[1] ?? [];
    const at = Number(url.searchParams.get('$skiptoken') ?? 0);
    url.searchParams.set('$skiptoken', String(at + 2));
    const nextLink = at + 2 < list.length ? `${receiver.url}${url.pathname}${url.search}` : undefined;
    return json(200, { value: list.slice(at, at + 2), ...(nextLink && { nextLink }) });
  });
  return { ...receiver, world, tokens: () => tokens };
}

interface GraphBody {
  subscriptions: string[];
  query: string;
  options: { $top: number; $skipToken?: string };
}

function answerOf({ query, subscriptions, options }: GraphBody, { graph, page }: AzureWorld) {
  const texts = (part: string | undefined): string[] => [...(part ?? '').matchAll(/'([^']+)'/g)].map(([, text]) => text!.toLowerCase());
  const types = texts(/type in~ \(([^)]*)\)/.exec(query)?.[1]);
  const places = texts(/location in~ \(([^)]*)\)/.exec(query)?.[1]);
  const rows = (subscriptions[0] === SUBSCRIPTION ? (graph[query.split(' ')[0]!] ?? []) : []).filter(
    ({ type, location }) =>
      types.includes(type.toLowerCase()) && (places.length === 0 || !location || places.includes(String(location).toLowerCase())),
  );
  const at = Number(options.$skipToken ?? 0);
  const end = at + Math.min(page, options.$top);
  const data = rows.slice(at, end);
  const skip = end < rows.length ? { $skipToken: String(end) } : {};
  return { totalRecords: rows.length, count: data.length, data, facets: [], resultTruncated: 'false', ...skip };
}
