import type { ExposureLevel, Provider } from '../../../schema/model.js';
import type { Reader } from '../../../kit/findings/readers.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import type { Filter } from '../../../kit/store/query.js';
import { containsText } from '../../../kit/store/text-filter.js';
import type { Criticality, Environment } from '../business/context.js';
import { tagKey } from '../business/tag-keys.js';
import { COUNTED_COLUMNS, type CountedColumn } from '../counters.js';

/** What lists of assets are filtered by. */
export interface AssetFilter extends PageArguments {
  provider?: Provider[] | null;
  account_id?: string[] | null;
  region?: string[] | null;
  resource_type?: string[] | null;
  scan_run_id?: string[] | null;
  owner?: string[] | null;
  environment?: Environment[] | null;
  criticality?: Criticality[] | null;
  tag?: string[] | null;
  exposure?: ExposureLevel[] | null;
  risk_min?: number | null;
  q?: string | null;
  planned?: boolean | null;
  gone?: boolean | null;
}

const COLUMNS = ['owner', 'environment', 'criticality', 'exposure'] as const;
const anyOf = (values: readonly string[]) => (values.length === 1 ? values[0] : { $in: values });

/** The columns of a filter that counters know. */
export const countedColumns = (args: AssetFilter): CountedColumn[] => COUNTED_COLUMNS.filter((field) => args[field]);

/**
 * The database's condition for a filter.
 * @param reader whose sums `risk_min` goes by; null where none of them are the caller's, and `risk_min` is left to the caller
 */
export function assetCondition(args: AssetFilter, reader: Reader | null): Filter {
  const condition: Record<string, unknown> = args.planned == null ? {} : { planned: args.planned ? true : null };
  for (const field of [...COUNTED_COLUMNS, ...COLUMNS]) if (args[field]) condition[field] = anyOf(args[field]);
  if (args.tag) condition['tag_keys'] = anyOf(args.tag.map(tagKey));
  if (args.risk_min != null && reader) condition[`risk.${reader}.max`] = { $gte: args.risk_min };
  if (args.q) Object.assign(condition, containsText(['resource_uid', 'resource_name'], args.q));
  return condition;
}

/** Whether nothing but what counters know is asked, beside whether assets are planned. */
export const isCounted = ({ owner, environment, criticality, exposure, tag, risk_min, q }: AssetFilter): boolean =>
  !owner && !environment && !criticality && !exposure && !tag && risk_min == null && !q;
