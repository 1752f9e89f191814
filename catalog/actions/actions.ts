import type { Provider } from '../../schema/model.js';
import { covers, overlap } from '../access/pattern.js';
import { matchesPattern } from '../cel/policy.js';
import { actionTable, operationsOf, type ActionTable } from './table.js';

/** What was done, as the rights that it took are found by. */
export interface Done {
  service: string;
  action: string;
  /** Whether `action` is a right already. */
  is_right: boolean;
}

/** What the actions of one provider are called in its logs and in its policies, and which log shows their use. */
export class Actions {
  readonly table: ActionTable;
  /** Every right that the provider's interfaces are known to ask for, sorted; empty where no list is kept. */
  readonly known: readonly string[];
  private readonly logs = new Map<string, string | null>();

  constructor(readonly provider: Provider) {
    this.table = actionTable(provider);
    const all = new Set<string>();
    for (const [service, calls] of operationsOf(provider))
      for (const action of calls) for (const right of this.rightsOf({ service, action, is_right: false })) all.add(right);
    this.known = [...all].sort();
  }

  /** The rights that a call took; none where it takes none, or where the log tells them apart from the call. */
  rightsOf({ service, action, is_right }: Done): readonly string[] {
    if (is_right) return [action];
    const { told, version, services, events, forms, separator } = this.table;
    if (told || this.table.logs.length === 0) return [];
    const call = version === undefined ? action : action.replace(version, '');
    const named = events[service]?.[call];
    if (named !== undefined) return named ?? [];
    const form = forms.find((one) => one.service === service && one.calls.test(call));
    if (form !== undefined) return [form.right];
    return [`${services[service] ?? service}${separator}${call}`];
  }

  /** The class of log that shows the use of a right; null where none does. */
  logOf(right: string): string | null {
    const known = this.logs.get(right);
    if (known !== undefined) return known;
    const line = this.table.logs.find(({ rights }) => rights.some((pattern) => matchesPattern(pattern, right)));
    const log = line?.log?.replace('{service}', serviceOf(this.table, right)) ?? null;
    this.logs.set(right, log);
    return log;
  }

  /** The classes of log that show the use of the rights that a pattern holds, each with its service; null for those that no log shows. */
  logsOf(pattern: string): [log: string | null, service: string][] {
    const service = this.serviceOf(pattern);
    const found: [string | null, string][] = [];
    for (const { log, rights } of this.table.logs) {
      const isAll = rights.some((right) => covers(right, pattern));
      if (!isAll && !rights.some((right) => overlap(right, pattern))) continue;
      found.push([log?.replace('{service}', service) ?? null, service]);
      if (isAll) break;
    }
    return found.length === 0 ? [[null, service]] : found;
  }

  /** Whether a provider's logs can show that a right is not used. */
  get isJudged(): boolean {
    return this.table.logs.length > 0;
  }

  serviceOf(right: string): string {
    return serviceOf(this.table, right);
  }

  /** How policies write the resource of a call that took a right; undefined where calls do not name all that they are asked on. */
  resourceOf(right: string, resource: string): string | undefined {
    for (const { rights, from, as } of this.table.narrows) {
      if (!rights.some((pattern) => matchesPattern(pattern, right)) || !from.test(resource)) continue;
      return resource.replace(from, as);
    }
    return undefined;
  }
}

function serviceOf({ separator }: ActionTable, right: string): string {
  const at = right.indexOf(separator);
  return at < 0 ? right : right.slice(0, at);
}

const made = new Map<Provider, Actions>();

/** The actions of a provider; made once in a thread. */
export function actionsOf(provider: Provider): Actions {
  const known = made.get(provider) ?? new Actions(provider);
  made.set(provider, known);
  return known;
}
