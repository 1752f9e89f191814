import { findingItems } from '../../normalize/finding-items.js';
import { ReportItems, safeId, type PlaceDraft } from '../../normalize/observation.js';
import { coverage } from '../../normalize/scope.js';
import { BrokenRecord, compact } from '../../readers/json/fields.js';
import { outlineJson } from '../../readers/json/outline.js';
import { faultOfValue } from '../../readers/limits.js';
import { readHead } from '../../readers/source.js';
import { isJson, readManifests, type ManifestItem } from '../../readers/yaml/documents.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from '../../types.js';
import { apiAsset, apiPlace, operationAsset, operationPlace } from './asset.js';
import { apiChecks } from './api-checks.js';
import { OWASP, type Check, type Fault } from './check.js';
import { readDescription, type Operation } from './document.js';
import { operationChecks } from './operation-checks.js';

const SOURCE = 'openapi';
/** Places that a finding names. */
const MOST_PLACES = 20;
const VERSION = /^(?:2(?:\.0)?|3\.\d)/;

/**
 * Descriptions of APIs: OpenAPI 3 and Swagger 2, as JSON or YAML. The API and each of its operations are assets, whose shapes tell what a later
 * description has changed, and our own rules of the OWASP API Security Top 10 judge them.
 */
export const format: ReportFormat = {
  name: SOURCE,
  label: 'OpenAPI and Swagger descriptions (JSON or YAML)',
  engines: ['di', 'api-security'],
  detection: 'A top-level `openapi` (3.x) or `swagger` (2.0) beside `info` or `paths`, in a JSON object or a YAML document.',
  produce: 'curl -s https://api.example.com/openapi.json -o report.json',
  outsideClouds: true,
  detect: detectDescription,
  read: readDescriptions,
};

function detectDescription(head: string): boolean {
  if (isJson(head)) {
    const outline = outlineJson(head);
    return (
      ['openapi', 'swagger'].some((name) => VERSION.test(outline.get(name) ?? '')) && ['info', 'paths'].some((name) => outline.has(name))
    );
  }
  return /^(?:openapi|swagger):[ \t]*["']?(?:2\.0|3\.\d)/m.test(head) && /^(?:info|paths):/m.test(head);
}

async function* readDescriptions(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const head = await readHead(source);
  if (!detectDescription(head))
    throw new NotOfFormat('expected a description of an API ({"openapi": "3.1.0", "info": ..., "paths": ...}), found none');
  const items = new ReportItems();
  for await (const item of readManifests(source, head)) {
    if (item.kind === 'document') yield* describedItems(item, options, items);
    else yield item;
  }
}

function* describedItems(
  { value, position }: Extract<ManifestItem, { kind: 'document' }>,
  options: ImportOptions,
  items: ReportItems,
): Generator<ImportItem> {
  try {
    const fault = faultOfValue(value);
    if (fault !== null) throw new BrokenRecord(`the document ${fault}`);
    const api = readDescription(value, options);
    const place = apiPlace(api, options);
    const asset = apiAsset(api, options, position);
    const operations = api.operations.map((operation) => ({ operation, asset: operationAsset(api, operation, options, position) }));
    // what is not in it any more is gone
    yield { kind: 'estate', estate: `${SOURCE}:${safeId(api.base)}` };
    yield coverage('api-security', api.base, SOURCE, options);
    yield { kind: 'asset', asset };
    for (const one of operations) {
      yield { kind: 'asset', asset: one.asset };
      yield { kind: 'edge', edge: { from: asset.resource_uid, to: one.asset.resource_uid, kind: 'contains' } };
    }
    for (const check of apiChecks) yield* faultItems(check, check.faults(api), place, undefined, position, items);
    for (const { operation } of operations)
      for (const check of operationChecks)
        yield* faultItems(check, check.faults(operation, api), operationPlace(api, operation, options), operation, position, items);
    yield { kind: 'record' };
  } catch (error) {
    if (!(error instanceof BrokenRecord)) throw error;
    yield { kind: 'broken', position, reason: error.message };
  }
}

/** The finding of a rule that a description breaks, in one place or several. */
function faultItems(
  check: Check,
  faults: readonly Fault[],
  place: PlaceDraft,
  operation: Operation | undefined,
  position: string,
  items: ReportItems,
): ImportItem[] {
  const [first] = faults;
  if (first === undefined) return [];
  return findingItems(
    {
      ...{ source: SOURCE, engine: 'api-security', ruleId: check.id, title: check.title, description: check.description },
      ...{ severity: check.severity, guidance: check.guidance, place, position },
      describes: 'rule',
      cwes: [check.cwe],
      controls: [{ framework: 'OWASP API Security Top 10 2023', control_id: check.owasp, control_name: OWASP[check.owasp] }],
      urls: ['https://owasp.org/API-Security/editions/2023/en/0x11-t10/'],
      evidence: compact({
        ...{ kind: 'api_description', method: operation?.method, path: operation?.path },
        ...{ pointer: first.pointer, status_detail: first.detail, cwe: check.cwe },
        places: faults.slice(0, MOST_PLACES).map(({ pointer, detail }) => `${pointer}: ${detail}`),
        place_count: faults.length,
      }),
    },
    [],
    items,
  );
}
