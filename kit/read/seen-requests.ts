import type { EngineContext } from '../engine/context.js';
import { CLOSABLE } from '../findings/lifecycle.js';
import { readableEngines } from '../findings/present-owner.js';
import { findings } from '../findings/row.js';

/** A request that a scanner of running applications has reported on. */
export interface SeenRequest {
  /** The application, by the address or the name that it was scanned under. */
  readonly origin: string;
  readonly method: string | null;
  readonly path: string;
  readonly source: string;
}

/** Engines whose scanners look at running applications. */
const ENGINES = ['secops', 'api-security', 'vulnerability'];
const MOST = 5_000;

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The requests that open findings on these applications tell of, of the engines that the caller may read; at most 5,000. */
export async function readSeenRequests({ auth, services }: EngineContext, origins: readonly string[]): Promise<SeenRequest[]> {
  const engines = readableEngines(services, auth).filter((engine) => ENGINES.includes(engine));
  if (engines.length === 0 || origins.length === 0) return [];
  const rows = await services.database
    .tenant(auth.tenant_id)
    .engines(engines)
    .collection(findings)
    .find(
      { resource_uid: { $in: origins }, resource_type: 'web_application', status: { $in: CLOSABLE } },
      { fields: ['resource_uid', 'source', 'evidence.path', 'evidence.method'], sort: { _id: 1 }, limit: MOST },
    );
  return rows.flatMap(({ resource_uid, source, evidence }) => {
    const path = textOf(evidence['path']);
    return path === null ? [] : [{ origin: resource_uid, method: textOf(evidence['method'])?.toUpperCase() ?? null, path, source }];
  });
}
