import { invalid } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { defineOperation, runOperation } from '../../../kit/engine/operation.js';
import type { Column, Row } from '../formats/format.js';
import { assertHolds, type Filter, type Subject } from './subject.js';

/** What of a framework is exported. */
export const FRAMEWORK_FILTERS = {
  framework_id: { type: 'String!', description: 'The framework, of the catalog or of the tenant.' },
  provider: { type: '[Provider!]', description: 'Scored by the results of these providers alone.' },
  account_id: { type: '[String!]', description: 'Scored by the results of these accounts alone.' },
} as const;

const VARIABLES = '$framework_id: ID!, $provider: [Provider!], $account_id: [String!]';
const SCOPE = 'framework_id: $framework_id, provider: $provider, account_id: $account_id';

const report = defineOperation<Filter, Row | null>(
  'compliance',
  `query(${VARIABLES}) { result: framework_report(${SCOPE}) {
    framework_id framework_name version score assessed_controls pass_count fail_count total_controls mapped_controls manual_controls
    by_provider last_evaluated trend { date score }
  } }`,
);

interface ControlPage {
  items: Row[];
  has_more: boolean;
}
const controls = defineOperation<Filter, ControlPage | null>(
  'compliance',
  `query(${VARIABLES}, $page: Int!, $size: Int!) { result: framework_controls(${SCOPE}, page: $page, page_size: $size) {
    items {
      control_id section title status assessable not_assessed_because rule_count passed_results failed_results not_evaluated_results
      attestation { status evidence evidence_url author created_at expires_at }
    } has_more
  } }`,
);

const columns = (kind: Column['kind'], ...names: string[]): Column[] => names.map((name) => ({ name, kind }));
const COLUMNS: readonly Column[] = [
  ...columns('text', 'framework_id', 'framework_name', 'framework_version'),
  ...columns('number', 'framework_score'),
  ...columns('text', 'control_id', 'section', 'title', 'status'),
  ...columns('flag', 'assessable'),
  ...columns('text', 'not_assessed_because'),
  ...columns('number', 'rule_count', 'passed_results', 'failed_results', 'not_evaluated_results'),
  ...columns('json', 'attestation'),
];
const AT_ONCE = 200;

const scopeOf = ({ framework_id, provider = null, account_id = null }: Filter): Filter => ({ framework_id, provider, account_id });

/** @throws PalisadeError VALIDATION_ERROR when there is no such framework */
async function readReport(context: EngineContext, filter: Filter): Promise<Row> {
  const found = await runOperation(context, report, scopeOf(filter));
  if (!found) throw invalid([{ path: 'framework.framework_id', message: 'is no framework of the tenant' }]);
  return found;
}

/** A framework's controls with their status, in its order; its score stands beside each. */
export const frameworkSubject: Subject = {
  kind: 'framework',
  columns: COLUMNS,
  async prepare(context, filter) {
    assertHolds(context, ['compliance:read']);
    const { framework_name, version, total_controls } = await readReport(context, filter);
    const title = `${String(framework_name)} ${String(version)}`;
    return { filter, permissions: ['compliance:read'], engines: [], total: Number(total_controls), title };
  },
  facts: async (owner, { filter }) => readReport(await owner(), filter),
  async *read(owner, { filter }) {
    const { framework_id, framework_name, version, score } = await readReport(await owner(), filter);
    const about = { framework_id, framework_name, framework_version: version, framework_score: score };
    for (let page = 1; ; page++) {
      const found = await runOperation(await owner(), controls, { ...scopeOf(filter), page, size: AT_ONCE });
      if (!found) return;
      yield found.items.map((control) => ({ ...about, ...control }));
      if (!found.has_more) return;
    }
  },
};
