import type { Permission } from '../../../schema/permissions.js';
import type { Severity } from '../../../schema/model.js';
import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { defineOperation, runOperation } from '../../../kit/engine/operation.js';
import { listEveryFinding } from '../list/list.js';
import { loadCatalogued } from './catalogued.js';
import type { SearchHit, SearchKind } from './hit.js';

/** A page of what one source finds, and the exact number of all of it. */
export interface Found {
  items: SearchHit[];
  total: number;
  degradedEngines?: readonly string[];
  restrictedEngines?: readonly string[];
}

/** What is searched: who may, and what it finds of a text. */
export interface SearchSource {
  readonly requires: Permission;
  /** The engine that answers. */
  readonly engine: string;
  find(context: EngineContext, q: string, page: number, page_size: number): Promise<Found>;
}

interface Asked extends Record<string, unknown> {
  q: string;
  page: number;
  page_size: number;
}
interface Page<Item> {
  items: Item[];
  total: number;
}
const ASKED = '$q: String, $page: Int, $page_size: Int';
const PASSED = 'q: $q, page: $page, page_size: $page_size';

const assets = defineOperation<Asked, Page<{ resource_uid: string; resource_name: string | null; resource_type: string }>>(
  'di',
  `query(${ASKED}) { result: assets(${PASSED}) { items { resource_uid resource_name resource_type } total } }`,
);
const rules = defineOperation<
  Asked & { engines: readonly string[] },
  Page<{ rule_id: string; title: string; description: string | null; source: string; engine: string; severity: Severity | null }>
>(
  'rules',
  `query(${ASKED}, $engines: [String!]) { result: rules(${PASSED}, engine: $engines) { items { rule_id title description source engine severity } total } }`,
);

const cves = defineOperation<Asked, Page<{ cve_id: string; severity: Severity; affected_resources: number }>>(
  'vulnerability',
  `query(${ASKED}) { result: vulnerability_cves(${PASSED}) { items { cve_id severity affected_resources } total } }`,
);

const ofCatalog = (kind: 'framework' | 'control'): SearchSource => ({
  requires: 'compliance:read',
  engine: 'compliance',
  async find(_context, q, page, page_size) {
    const wanted = q.toLowerCase();
    const found = (await loadCatalogued()).filter(({ hit, text }) => hit.kind === kind && text.includes(wanted));
    const items = found.slice((page - 1) * page_size, page * page_size).map(({ hit }) => hit);
    return { items, total: found.length };
  },
});

export const SEARCH_SOURCES: Readonly<Record<SearchKind, SearchSource>> = {
  asset: {
    requires: 'inventory:read',
    engine: 'di',
    async find(context, q, page, page_size) {
      const { items, total } = await runOperation(context, assets, { q, page, page_size });
      const hits = items.map(({ resource_uid, resource_name, resource_type }) => ({
        kind: 'asset' as const,
        id: resource_uid,
        title: resource_name ?? resource_uid,
        detail: resource_type,
        engine: null,
        severity: null,
      }));
      return { items: hits, total };
    },
  },
  finding: {
    requires: 'check:read',
    engine: 'findings',
    async find(context, q, page, page_size) {
      const { items, ...rest } = await listEveryFinding(context, { q, page, page_size });
      const hits = items.map(({ finding_id, title, resource_uid, resource_name, engine, severity }) => ({
        kind: 'finding' as const,
        id: finding_id,
        title,
        detail: resource_uid,
        engine,
        severity,
        searched: resource_name,
      }));
      return { ...rest, items: hits };
    },
  },
  rule: {
    requires: 'check:read',
    engine: 'rules',
    async find(context, q, page, page_size) {
      // the rules of engines that the caller may not read are left out, as their findings are
      const readable = context.services.findingEngines.filter(({ permission }) => holds(context.auth, permission));
      const engines = readable.map(({ viewSegment }) => viewSegment);
      const { items, total } = await runOperation(context, rules, { q, page, page_size, engines });
      const hits = items.map(({ rule_id, title, description, source, engine, severity }) => ({
        kind: 'rule' as const,
        id: rule_id,
        title,
        detail: source,
        engine,
        severity,
        searched: description,
      }));
      return { items: hits, total };
    },
  },
  cve: {
    requires: 'vulnerability:read',
    engine: 'vulnerability',
    async find(context, q, page, page_size) {
      const { items, total } = await runOperation(context, cves, { q, page, page_size });
      const hits = items.map(({ cve_id, severity, affected_resources }) => ({
        kind: 'cve' as const,
        id: cve_id,
        title: cve_id,
        detail: affected_resources === 1 ? '1 resource' : `${affected_resources} resources`,
        engine: 'vulnerability',
        severity,
      }));
      return { items: hits, total };
    },
  },
  framework: ofCatalog('framework'),
  control: ofCatalog('control'),
};
