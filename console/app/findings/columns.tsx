import type { Column } from '../parts/columns.js';
import { countText } from '../format.js';
import { Middle, Moment, SeverityMark, StateMark } from '../parts/text.js';
import { hrefWith } from '../place.js';
import { keyOf, type Finding } from './finding.js';

interface Selecting {
  readonly isSelected: (finding: Finding) => boolean;
  readonly toggle: (finding: Finding) => void;
}

/** Selects a finding for what is done to many. */
const selecting = ({ isSelected, toggle }: Selecting): Column<Finding> => ({
  id: 'select',
  title: 'Selected',
  isTitleHidden: true,
  width: 36,
  when: 'wide',
  cell: (finding) => (
    <input
      type="checkbox"
      aria-label={`Select ${finding.title}`}
      checked={isSelected(finding)}
      onChange={() => toggle(finding)}
      tabIndex={-1}
    />
  ),
});

/** The usual columns. Severity and risk come together: one says how bad, the other what first. */
const USUAL: readonly Column<Finding>[] = [
  {
    id: 'severity',
    title: 'Severity',
    width: 96,
    brief: 34,
    sort: 'severity',
    cell: (finding) => <SeverityMark severity={finding.severity} />,
  },
  {
    id: 'title',
    title: 'Finding',
    cell: (finding) => (
      <a class="title" href={hrefWith({ open: keyOf(finding) })} title={finding.title}>
        {finding.title}
      </a>
    ),
  },
  {
    id: 'resource',
    title: 'Resource',
    width: 190,
    when: 'roomy',
    cell: (finding) => <Middle text={finding.resource_name ?? finding.resource_uid} most={28} />,
  },
  { id: 'engine', title: 'Engine', width: 130, when: 'vast', cell: (finding) => finding.engine },
  { id: 'account', title: 'Account', width: 130, when: 'vast', cell: (finding) => <Middle text={finding.account_id ?? '–'} most={14} /> },
  { id: 'status', title: 'Status', width: 120, cell: (finding) => <StateMark state={finding.status} /> },
  {
    id: 'assignee',
    title: 'Assignee',
    width: 110,
    when: 'roomy',
    cell: (finding) => <span title={finding.assignee ?? undefined}>{finding.assignee?.split('@')[0] ?? ''}</span>,
  },
  {
    id: 'risk',
    title: 'Risk',
    width: 60,
    align: 'end',
    when: 'wide',
    sort: 'risk_score',
    cell: (finding) => countText(finding.risk_score),
  },
  { id: 'due', title: 'Due', width: 116, when: 'roomy', sort: 'due_at', cell: (finding) => <Moment time={finding.due_at} empty="" /> },
  {
    id: 'seen',
    title: 'First seen',
    width: 128,
    when: 'vast',
    sort: 'first_seen_at',
    cell: (finding) => <Moment time={finding.first_seen_at} />,
  },
];

/** Columns that are there for who asks for them. */
const MORE: readonly Column<Finding>[] = [
  { id: 'provider', title: 'Cloud', width: 84, cell: (finding) => finding.provider },
  { id: 'region', title: 'Region', width: 120, cell: (finding) => finding.region },
  { id: 'type', title: 'Type', width: 190, cell: (finding) => <Middle text={finding.resource_type} most={26} /> },
  { id: 'rule', title: 'Rule', width: 220, cell: (finding) => <Middle text={finding.rule_id} most={30} /> },
  { id: 'last', title: 'Last seen', width: 128, sort: 'last_seen_at', cell: (finding) => <Moment time={finding.last_seen_at} /> },
];

/** The column that is always there: it leads to the finding. */
const ALWAYS = 'title';

/** The columns that can be chosen. */
export const CHOOSABLE: readonly Column<Finding>[] = [...USUAL, ...MORE].filter(({ id }) => id !== ALWAYS);

/** The columns that are shown where there is room, while none is chosen. */
export const USUAL_IDS: readonly string[] = USUAL.map(({ id }) => id);

/** The columns of findings: the chosen ones, or of the usual ones as many as there is room for. */
export const findingColumns = (selection: Selecting, chosen: readonly string[]): Column<Finding>[] => [
  selecting(selection),
  ...(chosen.length === 0
    ? USUAL
    : [...USUAL, ...MORE].filter(({ id }) => id === ALWAYS || chosen.includes(id)).map((column) => ({ ...column, when: undefined }))),
];
