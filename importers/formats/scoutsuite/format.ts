import { ReportItems } from '../../normalize/observation.js';
import { readJson } from '../../readers/json/records.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import { isItem } from '../../cloud/item.js';
import { once } from '../../cloud/once.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';
import { scoutFinding } from './finding.js';
import { resourcePaths, ScoutEstate } from './estate.js';
import { withoutAssignment } from './source.js';

const FORMAT = 'scoutsuite';
const FINDINGS = '.findings.*';

/** Where findings stand: the reader follows a service's own name before `*`, so services with known resources are named. */
const findingPaths = (paths: readonly string[]): string[] =>
  [...new Set(['*', ...paths.map((path) => path.split('.')[1]!)])].map((service) => `services.${service}${FINDINGS}`);

/**
 * A report of ScoutSuite, as the JavaScript file that its page reads (`scoutsuite_results = {…}`) or as plain JSON: the resources that it keeps become assets
 * where `importers/cloud/tables/scout.yaml` knows them, its flagged items findings. The report is read twice: findings name their resources by where they stand.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'ScoutSuite (scoutsuite_results_*.js, or its JSON)',
  engines: ['check', 'di', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec'],
  inventory: true,
  detection: 'The text `scoutsuite_results =` and a JSON object, or a JSON object with `last_run` of a ruleset and `account_id`.',
  produce: 'scout aws --no-browser --report-dir scout',
  detect: (head) => {
    if (/^\s*scoutsuite_results\s*=/.test(head)) return true;
    const top = readTopLevel(head);
    return top.has('account_id') && /"(?:ruleset_about|ruleset_name|run_parameters)"/.test(top.get('last_run') ?? '');
  },
  observedAt: async (source) => timeOf(await headOf(source)),
  read: (source, options) => once(readReport(withoutAssignment(source), options)),
};

interface Head {
  provider: string;
  account: string | undefined;
  time: unknown;
  version: unknown;
}

async function headOf(source: ReportSource): Promise<Head> {
  const values = new Map<string, unknown>();
  for await (const item of readJson(withoutAssignment(source), ['provider_code', 'account_id', 'last_run']))
    if (item.kind === 'value') values.set(item.path, item.value);
  const run = values.get('last_run');
  const [code, account] = [values.get('provider_code'), values.get('account_id')];
  return {
    provider: typeof code === 'string' ? code : 'aws',
    account: typeof account === 'string' && account !== '' ? account : undefined,
    time: isItem(run) ? run['time'] : undefined,
    version: isItem(run) ? run['version'] : undefined,
  };
}

function timeOf({ time }: Head): Date | undefined {
  const at = new Date(typeof time === 'string' ? time.replace(/^(\S+) (\S+?)([+-]\d\d)(\d\d)$/, '$1T$2$3:$4') : NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

async function* readReport(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const head = await headOf(source);
  const account = options.account_id ?? head.account;
  const own: ImportOptions = { ...options, ...(account === undefined ? {} : { account_id: account }) };
  const estate = new ScoutEstate(head.provider, FORMAT, own);
  const paths = resourcePaths(head.provider);
  for await (const item of readJson(source, paths)) if (item.kind === 'value' && isItem(item.value)) estate.note(item.value, item.position);
  if (account !== undefined) yield { kind: 'scope', scope: { engine: 'check', account_id: account } };
  const items = new ReportItems();
  const cut: ImportItem[] = [];
  for await (const item of readJson(source, [...paths, ...findingPaths(paths)])) {
    const { position } = item;
    if (item.kind === 'truncated') cut.push({ kind: 'truncated', position, reason: item.reason });
    else if (item.kind === 'broken') yield { kind: 'broken', position, reason: item.reason };
    else if (item.kind === 'value') {
      if (!isItem(item.value)) {
        // a service that has nothing of a kind says null
        if (item.value !== null) yield { kind: 'broken', position, reason: 'the entry is not an object' };
        continue;
      }
      yield { kind: 'record' };
      if (item.path.endsWith(FINDINGS)) yield* scoutFinding(item.value, position, estate, items);
      else yield* estate.assetsOf(item.value, position);
    }
  }
  yield* cut;
}
