import type { Severity } from '../../../schema/model.js';
import { outsidePlace } from '../../normalize/artifact.js';
import { findingItems } from '../../normalize/finding-items.js';
import type { ReportItems } from '../../normalize/observation.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { BrokenRecord, compact, numberAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import { partsOf } from '../openapi/addresses.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the issues of an audit share. */
export interface CrunchContext {
  /** The API by its address, or by its name. */
  base: string;
  name: string;
  /** Places in the description, which issues name by their number. */
  pointers: readonly unknown[];
  /** What the audit says of the rule of an issue. */
  describe(item: JsonValueItem): unknown;
  options: ImportOptions;
}

/** Criticality, from 1 to 5. Warnings have none. */
const SEVERITIES: readonly Severity[] = ['info', 'info', 'low', 'medium', 'high', 'critical'];

/** Turns one issue at one place into its rule (the first time) and its observation. */
export function readCrunchIssue(record: JsonObject, item: JsonValueItem, context: CrunchContext, items: ReportItems): ImportItem[] {
  const ruleId = item.names?.[0];
  if (ruleId === undefined) throw new BrokenRecord('the issue stands below no rule');
  const said = context.describe(item);
  const description = typeof said === 'string' && said.trim() !== '' ? said : ruleId;
  const named = context.pointers[numberAt(record, 'pointer') ?? -1];
  const pointer = typeof named === 'string' ? named : undefined;
  const operation = operationAt(pointer);
  const detail = textAt(record, 'specificDescription');
  return findingItems(
    {
      ...{ source: 'crunch42', engine: 'api-security', ruleId, title: description, detail, position: item.position },
      severity: SEVERITIES[numberAt(record, 'criticality') ?? 0] ?? 'info',
      place: placeOf(operation, context),
      discriminator: pointer,
      evidence: compact({
        ...{ kind: 'api_description', tool: '42Crunch', status_detail: detail ?? description, pointer },
        ...{ method: operation?.method, path: operation?.path, score: numberAt(record, 'score') },
      }),
    },
    [detail, pointer],
    items,
  );
}

interface Named {
  method: string;
  path: string;
}

/** The operation in which a place of the description lies. */
function operationAt(pointer: string | undefined): Named | undefined {
  const [, path, method] = /^\/paths\/([^/]+)\/(get|put|post|delete|options|head|patch|trace)(?:\/|$)/.exec(pointer ?? '') ?? [];
  if (path === undefined || method === undefined) return undefined;
  return { method: method.toUpperCase(), path: path.replaceAll('~1', '/').replaceAll('~0', '~') };
}

/** The operation as the importer of descriptions names it, else the API. */
function placeOf(operation: Named | undefined, { base, name, options }: CrunchContext) {
  if (operation === undefined) return outsidePlace(base, 'api_description', options, name);
  const { method, path } = operation;
  return {
    ...outsidePlace(`${method} ${base}${path}`, 'api_endpoint', options, `${method} ${partsOf(base).path}${path}`),
    artifact: base,
  };
}
