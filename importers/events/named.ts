import type { JsonObject } from '../readers/json/fields.js';
import type { Columns } from './event.js';
import { valueAt, type EventTable } from './table.js';

/** The resources that the parameters of a call name, as the provider calls them in whole. */
export function namedIn(record: JsonObject, named: EventTable['named'], service: string, { account_id, region }: Columns): string[] {
  return named.flatMap(({ services, at, as }) => {
    const name = services === undefined || services.includes(service) ? valueAt(record, at) : undefined;
    if (typeof name !== 'string' || name === '' || /^(?:arn|acs):/.test(name)) return [];
    const whole = as
      .replace('{partition}', partitionOf(region))
      .replace('{account}', account_id ?? '*')
      .replace('{region}', region ?? '*')
      .replace('{}', () => name.replace(/^\//, ''));
    return [whole];
  });
}

const partitionOf = (region = ''): string => (region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws');
