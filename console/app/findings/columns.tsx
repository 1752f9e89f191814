import type { Column } from '../parts/columns.js';
import { countText } from '../format.js';
import { Middle, Moment, SeverityMark, StateMark } from '../parts/text.js';
import { hrefWith } from '../place.js';
import { keyOf, type Finding } from './finding.js';

interface Selecting {
  readonly isSelected: (finding: Finding) => boolean;
  readonly toggle: (finding: Finding) => void;
}

/** The columns of findings. Severity and risk come together: one says how bad, the other what first. */
export const findingColumns = ({ isSelected, toggle }: Selecting): Column<Finding>[] => [
  {
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
  },
  { id: 'severity', title: 'Severity', width: 96, sort: 'severity', cell: (finding) => <SeverityMark severity={finding.severity} /> },
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
  { id: 'engine', title: 'Engine', width: 130, when: 'roomy', cell: (finding) => finding.engine },
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
  { id: 'due', title: 'Due', width: 100, when: 'roomy', sort: 'due_at', cell: (finding) => <Moment time={finding.due_at} empty="" /> },
  {
    id: 'seen',
    title: 'First seen',
    width: 110,
    when: 'vast',
    sort: 'first_seen_at',
    cell: (finding) => <Moment time={finding.first_seen_at} />,
  },
];
