import type { Severity } from '../../schema/model.js';
import type { ControlReference, ImportItem, ImportOptions } from '../types.js';
import { inferProvider, toReferences, type PlaceDraft, type ReportItems } from './observation.js';
import { cweControls, findCwes } from './taxonomy.js';

/** What a scanner of running applications found. */
export interface WebFinding {
  /** The scanner. */
  source: string;
  engine: 'secops' | 'vulnerability';
  ruleId: string;
  /** What it found, in plain words. */
  title: string;
  /** Its name and version as people know them. */
  tool: string;
  description?: string | undefined;
  severity: Severity;
  result?: 'FAIL' | 'PASS';
  place: PlaceDraft;
  /** Where in the application: method, path and parameter, as far as the scanner names them. */
  method?: string | undefined;
  path?: string | undefined;
  parameter?: string | undefined;
  /** What tells several findings of one rule in one application apart, alike in every scan. */
  discriminator?: string | undefined;
  /** What it says of this place. */
  detail?: string | undefined;
  confidence?: string | undefined;
  guidance?: string | undefined;
  urls?: readonly (string | undefined)[];
  /** Texts that name weaknesses. */
  cwes?: readonly string[];
  controls?: readonly ControlReference[];
  cvss?: number | undefined;
  epss?: number | undefined;
  evidence?: Record<string, unknown>;
  tags?: readonly string[];
  position: string;
}

const MAX_DETAIL = 4_000;

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
  const { provider, provider_metadata } = inferProvider(undefined, options);
  return {
    resource_uid: uid,
    resource_type: 'web_application',
    resource_name: uid.replace(/^[a-z0-9+.-]+:\/\//, ''),
    provider,
    account_id: options.account_id,
    region: options.region,
    artifact: uid,
    provider_metadata,
  };
}

/** The items of one finding in a running application: the rule the first time, and the observation. */
export function webItems(found: WebFinding, items: ReportItems): ImportItem[] {
  const { engine, ruleId, title, source, detail, result = 'FAIL', method, path, parameter } = found;
  const cwes = findCwes(found.cwes ?? []);
  const about = {
    severity: found.severity,
    description: found.description,
    remediation: { guidance: found.guidance },
    references: toReferences(found.urls ?? []),
    controls: [...cweControls(cwes), ...(found.controls ?? [])],
  };
  const draft = {
    about,
    engine,
    result,
    title,
    source,
    rule_id: ruleId,
    place: found.place,
    discriminator: found.discriminator,
    cvss: found.cvss,
    epss: found.epss,
    evidence: {
      kind: 'dast',
      status_detail: detail?.slice(0, MAX_DETAIL),
      tool: found.tool,
      method,
      path,
      parameter,
      cwe: cwes[0],
      confidence: found.confidence,
      ...found.evidence,
    },
    position: found.position,
    content: `${result}\n${title}\n${detail ?? ''}`,
  };
  return items.of(ruleId, draft, () => ({
    ...about,
    rule_id: ruleId,
    engine,
    title,
    source,
    resource_type: found.place.resource_type,
    tags: found.tags?.filter((tag) => tag.trim() !== ''),
  }));
}
