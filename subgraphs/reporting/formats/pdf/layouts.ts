import { FINDING_STATUSES, SEVERITIES } from '../../../../schema/model.js';
import { isoOf, numberOf, textOf, type Row, type SubjectKind } from '../format.js';
import type { TableColumn } from './table.js';

/** A column of a table with the text that a row has in it. */
export interface PdfColumn extends TableColumn {
  textOf(row: Row): string | null;
}

/** How many rows have each value of something. */
export interface PdfChart {
  readonly title: string;
  valueOf(row: Row): string | null;
  /** All values in their order; where they are not known, those with most rows are shown. */
  readonly order?: readonly string[];
  readonly colors?: Readonly<Record<string, string>>;
}

/** A number on the cover. */
export interface PdfNumber {
  readonly label: string;
  counts(row: Row): boolean;
}

export interface PdfLayout {
  /** What the rows are called. */
  readonly rows: string;
  readonly numbers: readonly PdfNumber[];
  readonly charts: readonly PdfChart[];
  /** Their widths are those of a page together. */
  readonly columns: readonly PdfColumn[];
}

const field = (name: string) => (row: Row) => textOf(row[name]);
const day = (name: string) => (row: Row) => isoOf(row[name])?.slice(0, 10) ?? null;
const number = (name: string) => (row: Row) => numberOf(row[name])?.toLocaleString('en') ?? null;
const either =
  (...names: string[]) =>
  (row: Row) =>
    names.map((name) => textOf(row[name])).find((one) => one !== null) ?? null;
const both = (one: string, other: string) => (row: Row) =>
  [textOf(row[one]), textOf(row[other])].filter((part) => part !== null).join(' · ');

const column = (label: string, width: number, text: PdfColumn['textOf'], isNumber = false): PdfColumn => ({
  label,
  width,
  textOf: text,
  isNumber,
});

const SEVERITY_COLORS = { critical: '#8f1d14', high: '#c2410c', medium: '#b7791f', low: '#2b6cb0', info: '#57606a' };
const isOpen = ({ status }: Row) => status === 'OPEN' || status === 'IN_PROGRESS';

/** What can be made a document of. */
export const LAYOUTS: Readonly<Partial<Record<SubjectKind, PdfLayout>>> = {
  findings: {
    rows: 'findings',
    numbers: [
      { label: 'Findings', counts: () => true },
      { label: 'Open', counts: isOpen },
      { label: 'Open, critical or high', counts: (row) => isOpen(row) && ['critical', 'high'].includes(String(row['severity'])) },
      { label: 'Resolved', counts: ({ status }) => status === 'RESOLVED' },
    ],
    charts: [
      { title: 'By severity', valueOf: field('severity'), order: SEVERITIES, colors: SEVERITY_COLORS },
      { title: 'By status', valueOf: field('status'), order: FINDING_STATUSES },
      { title: 'By engine', valueOf: field('engine') },
      { title: 'By rule', valueOf: field('rule_id') },
    ],
    columns: [
      column('Severity', 50, field('severity')),
      column('Status', 68, field('status')),
      column('Risk', 32, number('risk_score'), true),
      column('Title', 216, field('title')),
      column('Resource', 160, either('resource_name', 'resource_uid')),
      column('Account and region', 104, both('account_id', 'region')),
      column('Rule', 88, field('rule_id')),
      column('First seen', 52, day('first_seen_at')),
    ],
  },
  assets: {
    rows: 'assets',
    numbers: [
      { label: 'Assets', counts: () => true },
      { label: 'With open findings', counts: ({ open_findings }) => Number(open_findings ?? 0) > 0 },
      { label: 'Public', counts: ({ exposure }) => exposure === 'public' },
      { label: 'Without an owner', counts: ({ owner }) => textOf(owner) === null },
    ],
    charts: [
      { title: 'By provider', valueOf: field('provider') },
      { title: 'By type', valueOf: field('resource_type') },
      { title: 'By criticality', valueOf: field('criticality') },
      { title: 'By owner', valueOf: field('owner') },
    ],
    columns: [
      column('Asset', 220, either('resource_name', 'resource_uid')),
      column('Type', 130, field('resource_type')),
      column('Account and region', 130, both('account_id', 'region')),
      column('Owner', 92, field('owner')),
      column('Environment', 62, field('environment')),
      column('Open', 40, number('open_findings'), true),
      column('Risk', 36, number('risk'), true),
      column('Last seen', 60, day('last_seen_at')),
    ],
  },
  framework: {
    rows: 'controls',
    numbers: [
      { label: 'Controls', counts: () => true },
      { label: 'Pass', counts: ({ status }) => status === 'PASS' },
      { label: 'Fail', counts: ({ status }) => status === 'FAIL' },
      { label: 'Not assessed', counts: ({ status }) => status !== 'PASS' && status !== 'FAIL' },
    ],
    charts: [
      { title: 'By status', valueOf: field('status') },
      { title: 'Failed controls by section', valueOf: (row) => (row['status'] === 'FAIL' ? textOf(row['section']) : null) },
    ],
    columns: [
      column('Control', 76, field('control_id')),
      column('Section', 150, field('section')),
      column('Title', 290, field('title')),
      column('Status', 88, field('status')),
      column('Rules', 40, number('rule_count'), true),
      column('Passed', 42, number('passed_results'), true),
      column('Failed', 42, number('failed_results'), true),
      column('Not judged', 42, number('not_evaluated_results'), true),
    ],
  },
};
