import type { Clock } from '../../kit/base/clock.js';
import { ForbiddenTarget, type Outbound } from '../../kit/outbound/outbound.js';
import { piecesOf } from '../pieces.js';
import { CallFailed, createRestClient, type RestAnswer, type RestClient } from '../rest-client.js';
import { ConnectionRefused, type Collector, type CollectedRecord, type NotAnswered, type RecordedAnswer, type Target } from '../types.js';
import { K8S_CALLS } from './calls.js';
import { kindOf, pathOf, sourceOf } from './paths.js';

/** Objects of a page, and pages of a list: what a server repeats for ever ends. */
const PAGE = 500;
const MOST_PAGES = 2_000;
/** Kinds whose contents are nobody's business: their names and labels alone are asked for. */
const WITHOUT_CONTENTS = new Set(['/configmaps']);
const NOT_TAKEN = 'The cluster does not take the token.';
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v1';

interface K8sCollectorOptions {
  readonly outbound: Pick<Outbound, 'trusting'>;
  readonly clock: Clock;
}

/** Asks the API server of a cluster what there is. */
export function createK8sCollector({ outbound, clock }: K8sCollectorOptions): Collector {
  /** Does some work with the cluster's client, which trusts the authority of the cluster alone. */
  async function* connected<T>(
    { connection }: Target,
    signal: AbortSignal,
    work: (client: RestClient) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const { server, ca_certificate, token } = connection.values;
    const own = outbound.trusting(ca_certificate!);
    const options = { outbound: own, clock, base: server!, headers: () => ({ authorization: `Bearer ${token}` }) };
    try {
      await assertReached(createRestClient({ ...options, pauses: [500] }), signal);
      yield* work(createRestClient(options));
    } finally {
      await own.close();
    }
  }

  return {
    tryOut: (target, signal) =>
      connected(target, signal, async function* (client) {
        for (const { service, permissions } of callsOf(target)) {
          const [permission] = permissions;
          const answer = await asked(client, permission!, `${pathOf(permission!)}?limit=1`, signal);
          // a cluster that does not have the interface has nothing to refuse
          yield { service, permission: permission!, granted: answer.ok || answer.status === 404 };
        }
      }),
    collect: (target, signal) =>
      connected(target, signal, async function* (client): AsyncGenerator<CollectedRecord> {
        const whole: string[] = [];
        for (const permission of callsOf(target).flatMap(({ permissions }) => permissions)) {
          let isWhole = true;
          for await (const record of listOf(client, permission, signal)) {
            isWhole &&= !('not_answered' in record);
            yield { ...record, part: permission };
          }
          if (isWhole) whole.push(permission);
        }
        yield { source: 'k8s', whole };
      }),
  };
}

/** @throws ConnectionRefused when there is no cluster at the address, or it may not be called from here */
async function assertReached(client: RestClient, signal: AbortSignal): Promise<void> {
  try {
    const { status } = await client.call({ path: '/version' }, signal);
    if (status === 401) throw new ConnectionRefused(NOT_TAKEN);
  } catch (error) {
    if (error instanceof CallFailed || error instanceof ForbiddenTarget)
      throw new ConnectionRefused(`The cluster cannot be reached: ${error.message}`);
    throw error;
  }
}

const callsOf = ({ services }: Target) => K8S_CALLS.filter(({ service }) => services.length === 0 || services.includes(service));

/** All objects of a kind, page by page. */
async function* listOf(client: RestClient, permission: string, signal: AbortSignal): AsyncGenerator<RecordedAnswer | NotAnswered> {
  const source = sourceOf(permission);
  const refused = (reason: string): NotAnswered => ({
    ...{ source, not_answered: `${permission}: ${reason}`, kind: kindOf(permission) },
  });
  let position: string | null = '';
  for (let page = 0; position !== null; page++) {
    if (page >= MOST_PAGES) return yield refused(`the cluster gives more than ${MOST_PAGES} pages`);
    const query: string = new URLSearchParams({ limit: String(PAGE), ...(position && { continue: position }) }).toString();
    let answer: RestAnswer;
    try {
      answer = await asked(client, permission, `${pathOf(permission)}?${query}`, signal);
    } catch (error) {
      if (error instanceof CallFailed) return yield refused(error.message);
      throw error;
    }
    const next = continuationOf(answer.body);
    if (answer.status === 404) return;
    // a list that has grown old is gone on with where it was, by the position that the refusal names
    if (answer.status === 410 && next !== null && next !== position) position = next;
    else if (!answer.ok)
      return yield refused(answer.status === 403 ? 'the permission is missing' : `the cluster answered ${answer.status}`);
    else {
      for (const response of piecesOf(wholeOf(answer.body, permission), 'items')) yield { source, response };
      position = next;
    }
  }
}

async function asked(client: RestClient, permission: string, path: string, signal: AbortSignal): Promise<RestAnswer> {
  const isWithout = WITHOUT_CONTENTS.has(permission);
  const answer = await client.call({ path, ...(isWithout && { headers: { accept: METADATA_ONLY } }) }, signal);
  if (answer.status === 401) throw new ConnectionRefused(NOT_TAKEN);
  return answer;
}

/** Where the next page begins; null after the last. */
function continuationOf(body: unknown): string | null {
  const { continue: next } = ((body ?? {}) as { metadata?: { continue?: unknown } }).metadata ?? {};
  return typeof next === 'string' && next !== '' ? next : null;
}

/** A list as it says what it holds: one of metadata alone does not. */
function wholeOf(body: unknown, permission: string): Record<string, unknown> {
  const list = (body ?? {}) as Record<string, unknown>;
  return WITHOUT_CONTENTS.has(permission) ? { ...list, apiVersion: 'v1', kind: 'ConfigMapList', items: withoutKinds(list['items']) } : list;
}

const withoutKinds = (items: unknown): unknown[] =>
  (Array.isArray(items) ? items : []).map(({ metadata }: { metadata?: unknown }) => ({ metadata }));
