import type { ImportItem, ImportOptions } from '../types.js';
import { outsidePlace } from './artifact.js';
import { detailOf, findingItems, type ReportedFinding } from './finding-items.js';
import type { PlaceDraft, ReportItems } from './observation.js';
import { findCwes } from './taxonomy.js';

/** What a scanner of running applications found. */
export interface WebFinding extends ReportedFinding {
  engine: 'secops' | 'vulnerability' | 'api-security';
  /** Its name and version as people know them. */
  tool: string;
  /** Where in the application: method, path and parameter, as far as the scanner names them. */
  method?: string | undefined;
  path?: string | undefined;
  parameter?: string | undefined;
  confidence?: string | undefined;
}

/** Where an address begins: scheme, host and port in small letters, without a port that the scheme implies. Undefined for what is no address. */
export function originOf(address: string | undefined): string | undefined {
  const [, scheme = '', host, port] =
    /^\/?(?:([a-z][a-z0-9+.-]*):\/\/)?(?:[^/@\s]*@)?(\[[0-9a-f:.]+\]|[^/:?#\s]+)(?::(\d+))?(?:[/?#].*)?$/i.exec(address?.trim() ?? '') ??
    [];
  if (host === undefined) return undefined;
  const isImplied =
    port === undefined || (scheme.toLowerCase() === 'http' && port === '80') || (scheme.toLowerCase() === 'https' && port === '443');
  return `${scheme === '' ? '' : `${scheme.toLowerCase()}://`}${host.toLowerCase()}${isImplied ? '' : `:${port}`}`;
}

/** The path of an address without its query, which may hold what people typed. */
export function pathOf(address: string | undefined): string | undefined {
  const path = /^\/?[a-z][a-z0-9+.-]*:\/\/[^/?#]*(\/[^?#]*)?/i.exec(address?.trim() ?? '');
  return path === null ? undefined : (path[1] ?? '/');
}

/** An application by the address that it answers at. */
export function webPlace(address: string | undefined, options: ImportOptions): PlaceDraft {
  const uid = originOf(address) ?? options.artifact ?? 'application';
  return outsidePlace(uid, 'web_application', options, uid.replace(/^[a-z0-9+.-]+:\/\//, ''));
}

/** The items of one finding in a running application: the rule the first time, and the observation. */
export function webItems({ tool, method, path, parameter, confidence, ...found }: WebFinding, items: ReportItems): ImportItem[] {
  const evidence = {
    kind: 'dast',
    status_detail: detailOf(found.detail),
    ...{ tool, method, path, parameter },
    cwe: findCwes(found.cwes ?? [])[0],
    confidence,
    ...found.evidence,
  };
  return findingItems({ ...found, evidence }, [found.title, found.detail], items);
}
