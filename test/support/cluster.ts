import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

const fixture = (name: string): string => readFileSync(`test/fixtures/tls/${name}`, 'utf8');
const KIND_OF: Readonly<Record<string, string>> = {
  namespaces: 'Namespace',
  pods: 'Pod',
  deployments: 'Deployment',
  configmaps: 'ConfigMap',
  clusterrolebindings: 'ClusterRoleBinding',
  customresourcedefinitions: 'CustomResourceDefinition',
};

export interface ClusterObject {
  metadata: { name: string; namespace?: string };
  [member: string]: unknown;
}

/** An API server on loopback, as far as a collector asks one: it checks the token, lists in pages, and refuses and delays what a test says. */
export interface Cluster {
  readonly url: string;
  readonly authority: string;
  readonly token: string;
  /** What there is, by resource: `pods`. */
  readonly objects: Record<string, ClusterObject[]>;
  /** Resources that the token may not list. */
  readonly denied: Set<string>;
  /** Called before a list is answered; what it waits for holds the answer back. It may answer by itself, and says so by `true`. */
  before: (resource: string, query: URLSearchParams, response: ServerResponse) => Promise<boolean | void> | boolean | void;
  /** The lists that were asked for, in order. */
  readonly asked: { resource: string; accept: string; query: string }[];
  close(): Promise<void>;
}

/** The definition of a custom kind, which the server lists under `/apis/shop.example/v1/`. */
export const customKind = (plural: string, kind: string): ClusterObject => ({
  metadata: { name: `${plural}.shop.example` },
  spec: {
    ...{ group: 'shop.example', scope: 'Namespaced', names: { plural, kind } },
    versions: [
      { name: 'v1beta1', served: true, storage: false },
      { name: 'v1', served: true, storage: true },
    ],
  },
});

/** @param page objects of a page where the caller wants more */
export async function startCluster(objects: Record<string, ClusterObject[]>, page = 500): Promise<Cluster> {
  const token = 'a-token-of-the-reader';
  const send = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url!, 'https://cluster');
    if (request.headers.authorization !== `Bearer ${token}`) return send(response, 401, { kind: 'Status', code: 401 });
    if (pathname === '/version') return send(response, 200, { major: '1', minor: '33' });
    const resource = /^\/(?:api|apis\/[a-z0-9.]+)\/v1\/([a-z]+)$/.exec(pathname)?.[1] ?? '';
    const accept = request.headers.accept ?? '';
    cluster.asked.push({ resource, accept, query: searchParams.toString() });
    if (await cluster.before(resource, searchParams, response)) return;
    if (cluster.denied.has(resource)) return send(response, 403, { kind: 'Status', code: 403, reason: 'Forbidden' });
    const kind = KIND_OF[resource] ?? (resource in cluster.objects ? `${resource[0]!.toUpperCase()}${resource.slice(1, -1)}` : undefined);
    if (kind === undefined) return send(response, 404, { kind: 'Status', code: 404 });
    const from = Number(searchParams.get('continue') ?? 0);
    const all = cluster.objects[resource] ?? [];
    const size = Math.min(page, Number(searchParams.get('limit') ?? all.length));
    const isBare = accept.includes('PartialObjectMetadataList');
    const items = all.slice(from, from + size).map((object) => (isBare ? { metadata: object.metadata } : object));
    const metadata = { resourceVersion: '7', ...(from + size < all.length && { continue: String(from + size) }) };
    const apiVersion = pathname.startsWith('/api/') ? 'v1' : pathname.split('/').slice(2, 4).join('/');
    send(
      response,
      200,
      isBare
        ? { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items }
        : { kind: `${kind}List`, apiVersion, metadata, items },
    );
  };
  const server = createServer(
    { key: fixture('key.pem'), cert: fixture('certificate.pem') },
    (request, response) => void answer(request, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cluster: Cluster = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: fixture('certificate.pem'),
    token,
    objects,
    denied: new Set(),
    before: () => undefined,
    asked: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return cluster;
}
