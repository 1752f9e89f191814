import { artifactItem } from '../../normalize/component.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import type { JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { componentItems, dependencyItems } from '../cyclonedx/component.js';
import type { OperatorReports } from './context.js';

/** Turns a component of a report of components (`SbomReport`) into its items, the first of an image with what the bill is of before it. */
export function billComponent(record: JsonObject, item: JsonValueItem, reports: OperatorReports): ImportItem[] {
  const { image, object, facts, bill } = reports.at(item.path, item.indices, item.names);
  const place = image ?? object;
  const taken = reports.bills.get(place.resource_uid);
  const key = reportOf(item);
  // workloads share images, and each has a report of its own
  if (taken !== undefined && taken !== key) return [];
  const components = componentItems(record, item.position, undefined);
  if (taken !== undefined) return components;
  reports.bills.set(place.resource_uid, key);
  const digest = /sha256:[0-9a-f]{64}/.exec(facts.digests?.[0] ?? '')?.[0];
  return [artifactItem(place, { digest, document: `CycloneDX ${bill ?? ''}`.trim() }), ...components];
}

/** What a component of a bill that is taken depends on. */
export function billDependency(record: JsonObject, item: JsonValueItem, reports: OperatorReports): ImportItem[] {
  const { image, object } = reports.at(item.path, item.indices, item.names);
  return reports.bills.get((image ?? object).resource_uid) === reportOf(item) ? dependencyItems(record) : [];
}

/** The report that a value stands in. */
const reportOf = ({ path, indices, names }: JsonValueItem): string =>
  `${path.slice(0, path.indexOf('report.'))} ${path.startsWith('report.') ? '' : indices[0]} ${names.join()}`;
