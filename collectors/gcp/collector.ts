import { pagesOf } from '../pages.js';
import { piecesOf } from '../pieces.js';
import { CallFailed, type RestAnswer, type RestClient } from '../rest-client.js';
import {
  ConnectionRefused,
  type CollectedRecord,
  type Collector,
  type NotAnswered,
  type RecordedAnswer,
  type Target,
  type TriedService,
} from '../types.js';
import { CONTENTS, GCP_SERVICES, type GcpService } from './asked.js';
import { GCP_CALLS } from './calls.js';
import { openGcp, saidBy, type GcpCollectorOptions } from './client.js';
import { projectsOf } from './organization.js';
import { regionFilter } from './regions.js';

type Content = (typeof CONTENTS)[number];

const PAGE = 1_000;

const isChosen =
  ({ services }: Target) =>
  ({ service }: { readonly service: string }): boolean =>
    services.length === 0 || services.includes(service);

/** What is asked for, and the services whose assets can have it. */
const contentsOf = (target: Target): { asked: Content; services: GcpService[] }[] =>
  CONTENTS.map((asked) => ({
    asked,
    services: GCP_SERVICES.filter(isChosen(target)).filter(({ orgPolicies }) => asked.content !== 'ORG_POLICY' || orgPolicies),
  })).filter(({ services }) => services.length > 0);

/** One expression, for one that fits no type that Google knows would be refused; the project tells which number is its own. */
const typesOf = (services: readonly GcpService[]): string =>
  `(${['cloudresourcemanager.googleapis.com/Project', `(${services.flatMap(({ apis }) => apis).join('|')}).googleapis.com/.*`].join('|')})`;

/** Asks for a page of assets. @param pageToken of the page before; undefined for the first */
async function ask(
  client: RestClient,
  { account_id }: Target,
  query: { readonly content: string; readonly types: string; readonly size: number },
  pageToken: string | undefined,
  signal: AbortSignal,
): Promise<RestAnswer> {
  const search = new URLSearchParams({ contentType: query.content, assetTypes: query.types, pageSize: String(query.size) });
  if (pageToken !== undefined) search.set('pageToken', pageToken);
  return client.call({ path: `/v1/projects/${encodeURIComponent(account_id)}/assets?${search.toString()}` }, signal);
}

/** Asks Google Cloud what there is: its asset inventory tells all of a project. */
export function createGcpCollector(options: GcpCollectorOptions): Collector {
  return {
    async *tryOut(target, signal): AsyncGenerator<TriedService> {
      const client = openGcp(options, target);
      const tried = new Set<string>();
      for (const { service, permissions } of GCP_CALLS.filter(isChosen(target)))
        for (const { content, permission } of CONTENTS) {
          // services share them: each is tried once
          if (!permissions.includes(permission) || tried.has(permission)) continue;
          tried.add(permission);
          const answer = await ask(client, target, { content, types: typesOf([]), size: 1 }, undefined, signal);
          if (!answer.ok && answer.status !== 403) throw new Error(`gcp: ${content} ${saidBy(answer)}`);
          yield { service, permission, granted: answer.ok };
        }
    },

    async *collect(target, signal): AsyncGenerator<CollectedRecord> {
      const client = openGcp(options, target);
      const denied: NotAnswered[] = [];
      const contents = contentsOf(target);
      const isIn = regionFilter(target.regions);
      const whole: string[] = [];
      for (const { asked, services } of contents) {
        let isWhole = true;
        for await (const told of assetsOf(client, target, { ...asked, types: typesOf(services), isIn }, signal)) {
          isWhole &&= 'response' in told;
          if ('permission' in told) denied.push({ source: told.source, not_answered: `The permission ${told.permission} is missing.` });
          else yield { ...told, part: asked.content };
        }
        if (isWhole) whole.push(asked.content);
      }
      if (denied.length > 0 && denied.length === contents.length)
        throw new ConnectionRefused('The service account may list no assets of the project: it needs the role of the template there.');
      yield* denied;
      yield { source: 'gcp', whole };
    },

    accounts: (target, signal) => projectsOf(openGcp(options, target, 'projects'), signal),
  };
}

/** The pages of one kind of content; a permission that is missing is told as that. */
async function* assetsOf(
  client: RestClient,
  target: Target,
  { content, permission, types, isIn }: Content & { readonly types: string; readonly isIn: (asset: unknown) => boolean },
  signal: AbortSignal,
): AsyncGenerator<RecordedAnswer | NotAnswered | { readonly source: string; readonly permission: string }> {
  const source = `gcp/cloudasset/list-assets__${content}`;
  const pages = pagesOf(
    (token) => ask(client, target, { content, types, size: PAGE }, token, signal),
    (page) => page['nextPageToken'],
  );
  try {
    for (;;) {
      const { done, value } = await pages.next();
      if (!done) {
        const assets = (Array.isArray(value['assets']) ? (value['assets'] as unknown[]) : []).filter(isIn);
        for (const response of piecesOf({ ...value, assets }, 'assets')) yield { source, response };
      } else {
        if (value?.answer.status === 403) yield { source, permission };
        else if (value !== undefined) yield { source, not_answered: `The inventory ${saidBy(value.answer)}.` };
        return;
      }
    }
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    yield { source, not_answered: error.message };
  }
}
