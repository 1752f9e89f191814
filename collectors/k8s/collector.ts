import type { Clock } from '../../kit/base/clock.js';
import { ForbiddenTarget, type Outbound } from '../../kit/outbound/outbound.js';
import { piecesOf } from '../pieces.js';
import { CallFailed, createRestClient, type RestAnswer, type RestClient } from '../rest-client.js';
import { thingsAt } from '../listing/thing.js';
import {
  ConnectionRefused,
  type Collector,
  type CollectedRecord,
  type NotAnswered,
  type RecordedAnswer,
  type Skipped,
  type Target,
} from '../types.js';
import { CUSTOM, K8S_CALLS } from './calls.js';
import { customList, listFor, sourceOf, type List } from './paths.js';

/** Objects of a page, and pages of a list: what a server repeats for ever ends. */
const PAGE = 500;
const MOST_PAGES = 2_000;
/** Custom kinds of one cluster: some have hundreds. */
const MOST_CUSTOM = 500;
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
          const list = listFor(permission!);
          const answer = await asked(client, list, `${list.path}?limit=1`, signal);
          // a cluster that does not have the interface has nothing to refuse
          yield { service, permission: permission!, granted: answer.ok || answer.status === 404 };
        }
      }),
    collect: (target, signal) =>
      connected(target, signal, async function* (client): AsyncGenerator<CollectedRecord> {
        const whole: string[] = [];
        const custom = new Map<string, List>();
        const told = async function* (list: List, isCustom = false): AsyncGenerator<CollectedRecord> {
          const { permission } = list;
          let isWhole = true;
          for await (const record of listOf(client, list, signal)) {
            isWhole &&= 'response' in record;
            if (permission === CUSTOM && 'response' in record)
              for (const definition of thingsAt(record.response, 'items')) noteCustom(definition, custom);
            yield { ...(isCustom ? asCustom(record) : record), part: permission };
          }
          if (isWhole) whole.push(permission);
        };
        for (const permission of callsOf(target).flatMap(({ permissions }) => permissions)) yield* told(listFor(permission));
        const lists = [...custom.values()];
        for (const list of lists.slice(0, MOST_CUSTOM)) yield* told(list, true);
        for (const { permission, kind } of lists.slice(MOST_CUSTOM))
          yield { source: sourceOf(permission), kind, part: permission, skipped: `Of custom kinds the first ${MOST_CUSTOM} are asked.` };
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

const MISSING = 'the permission is missing';

/** Notes the list of a custom kind. Those of the interface itself (`*.k8s.io`) are asked by their own lines. */
function noteCustom(definition: Readonly<Record<string, unknown>>, custom: Map<string, List>): void {
  const list = customList(definition);
  if (list !== undefined && !K8S_CALLS.some(({ permissions }) => permissions.includes(list.permission))) custom.set(list.permission, list);
}

/** No template can grant the kinds of a cluster that it does not know: what is not granted of them is left out. */
function asCustom(record: RecordedAnswer | NotAnswered): RecordedAnswer | NotAnswered | Skipped {
  if (!('not_answered' in record) || !record.not_answered.endsWith(MISSING)) return record;
  const { not_answered, ...rest } = record;
  return { ...rest, skipped: `${not_answered}, and the template does not grant it: a role of one's own may.` };
}

/** All objects of a kind, page by page. */
async function* listOf(client: RestClient, list: List, signal: AbortSignal): AsyncGenerator<RecordedAnswer | NotAnswered> {
  const { permission, path, kind } = list;
  const source = sourceOf(permission);
  const refused = (reason: string): NotAnswered => ({
    ...{ source, not_answered: `${permission}: ${reason}`, kind },
  });
  let position: string | null = '';
  for (let page = 0; position !== null; page++) {
    if (page >= MOST_PAGES) return yield refused(`the cluster gives more than ${MOST_PAGES} pages`);
    const query: string = new URLSearchParams({ limit: String(PAGE), ...(position && { continue: position }) }).toString();
    let answer: RestAnswer;
    try {
      answer = await asked(client, list, `${path}?${query}`, signal);
    } catch (error) {
      if (error instanceof CallFailed) return yield refused(error.message);
      throw error;
    }
    const next = continuationOf(answer.body);
    if (answer.status === 404) return;
    // a list that has grown old is gone on with where it was, by the position that the refusal names
    if (answer.status === 410 && next !== null && next !== position) position = next;
    else if (!answer.ok) return yield refused(answer.status === 403 ? MISSING : `the cluster answered ${answer.status}`);
    else {
      for (const response of piecesOf(wholeOf(answer.body, list), 'items')) yield { source, response };
      position = next;
    }
  }
}

async function asked(client: RestClient, { isBare }: List, path: string, signal: AbortSignal): Promise<RestAnswer> {
  const answer = await client.call({ path, ...(isBare && { headers: { accept: METADATA_ONLY } }) }, signal);
  if (answer.status === 401) throw new ConnectionRefused(NOT_TAKEN);
  return answer;
}

/** Where the next page begins; null after the last. */
function continuationOf(body: unknown): string | null {
  const { continue: next } = ((body ?? {}) as { metadata?: { continue?: unknown } }).metadata ?? {};
  return typeof next === 'string' && next !== '' ? next : null;
}

/** A list as it says what it holds: one of metadata alone does not. */
function wholeOf(body: unknown, { isBare, apiVersion, kind }: List): Record<string, unknown> {
  const list = (body ?? {}) as Record<string, unknown>;
  return isBare ? { ...list, apiVersion, kind: `${kind}List`, items: withoutKinds(list['items']) } : list;
}

const withoutKinds = (items: unknown): unknown[] =>
  (Array.isArray(items) ? items : []).map(({ metadata }: { metadata?: unknown }) => ({ metadata }));
