import type { Report } from '../../importers/index.js';
import { invalid } from '../../kit/base/errors.js';

/** Items of a report that are looked through for the host that it is of. */
const MOST_ITEMS = 1_000;

/** What a report itself calls the first host that it tells of; undefined where it names none. */
async function hostOf(report: Report): Promise<string | undefined> {
  let looked = 0;
  for await (const item of report.read({})) {
    const { resource_type, resource_name, resource_uid } =
      item.kind === 'observation' ? item.observation : item.kind === 'asset' ? item.asset : { resource_type: null, resource_uid: '' };
    if (resource_type === 'host') return resource_name ?? resource_uid;
    if (++looked >= MOST_ITEMS) return undefined;
  }
  return undefined;
}

/** Whether two names are of one host: one may have its domain behind it, and the other not. */
function isSameHost(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return !short.includes('.') && long.startsWith(`${short}.`);
}

/** @throws PalisadeError VALIDATION_ERROR where a report is of another host than the caller says */
export async function assertOfHost(report: Report, host: string): Promise<void> {
  const named = await hostOf(report);
  if (named !== undefined && !isSameHost(named, host))
    throw invalid([{ path: 'host', message: `the report is of the host ${named.slice(0, 253)}, and not of ${host}` }]);
}
