import { pagesOf } from '../pages.js';
import { CallFailed, type RestClient } from '../rest-client.js';
import { ConnectionRefused, type OrganizationAccount } from '../types.js';
import { saidBy } from './client.js';

type Thing = Readonly<Record<string, unknown>>;

/** Folders stand in one another at most this deep (Resource Manager, limits). */
const DEEPEST = 10;

/**
 * The projects that the service account may see, each with the folders that it stands in (Resource Manager v3, `projects:search` and `folders:search`). Folders that it may
 * not see have no name.
 * @throws ConnectionRefused
 */
export async function* projectsOf(client: RestClient, signal: AbortSignal): AsyncGenerator<OrganizationAccount> {
  const folders = new Map<string, Thing>();
  for await (const folder of listed(client, 'folders', 'resourcemanager.folders.get', signal, true))
    if (typeof folder['name'] === 'string') folders.set(folder['name'], folder);
  for await (const { projectId, displayName, state, parent } of listed(client, 'projects', 'resourcemanager.projects.get', signal)) {
    if (typeof projectId !== 'string') continue;
    const path = pathOf(parent, folders);
    const name = typeof displayName === 'string' && displayName !== '' ? displayName : projectId;
    yield { account_id: projectId, name, isActive: state === 'ACTIVE', ...(path.length > 0 && { path }) };
  }
}

/** The names of the folders around something, the outermost first. */
function pathOf(parent: unknown, folders: ReadonlyMap<string, Thing>): string[] {
  const path: string[] = [];
  for (let at = parent; typeof at === 'string' && path.length < DEEPEST; at = folders.get(at)?.['parent']) {
    const name = folders.get(at)?.['displayName'];
    if (typeof name !== 'string') break;
    path.unshift(name);
  }
  return path;
}

async function* listed(client: RestClient, list: string, permission: string, signal: AbortSignal, isExtra = false): AsyncGenerator<Thing> {
  const first = `/v3/${list}:search?pageSize=500`;
  const pages = pagesOf(
    (next) => client.call({ path: next ?? first }, signal),
    (page) =>
      typeof page['nextPageToken'] === 'string' && page['nextPageToken'] !== '' ? tokenPath(first, page['nextPageToken']) : undefined,
  );
  try {
    for (;;) {
      const { done, value } = await pages.next();
      if (!done) {
        const things = value[list];
        yield* (Array.isArray(things) ? things : []) as Thing[];
        continue;
      }
      if (!value || isExtra) return;
      throw new ConnectionRefused(
        value.answer.status === 403
          ? `The permission ${permission} is missing.`
          : `Google Cloud does not list ${list}: it ${saidBy(value.answer)}.`,
      );
    }
  } catch (error) {
    throw error instanceof CallFailed ? new ConnectionRefused(error.message) : error;
  }
}

const tokenPath = (path: string, token: string): string => `${path}&pageToken=${encodeURIComponent(token)}`;
