import type { FindingStatus, Severity } from '../../../schema/model.js';

/** Label of every ticket that is made here, where a tracker has labels. */
export const OURS = 'palisade';

/** A ticket to make. */
export interface NewIssue {
  /** One line. */
  readonly summary: string;
  /** Plain text, of which a tracker makes no markup, no link and no mention. */
  readonly description: string;
  /** By which the ticket is found again: the same for the same thing, another for every tenant. */
  readonly marker: string;
  /** Of the finding; null where it is of several. */
  readonly severity: Severity | null;
}

/** Tickets of one project, or of what the tracker calls so. */
export interface Tracker {
  /** Whether credentials and settings hold; nothing is made. @throws ChannelError */
  test(): Promise<void>;
  /** The key of the oldest ticket with this marker, or null. */
  findByMarker(marker: string): Promise<string | null>;
  /** The key under which the ticket is known now, or null when there is none. */
  findIssue(key: string): Promise<string | null>;
  /** Makes a ticket. @returns its key */
  create(issue: NewIssue): Promise<string>;
  comment(key: string, text: string): Promise<void>;
  /** Where people see a ticket. */
  urlOf(key: string): string;
}

/** What severities of findings are called in a tracker. */
export type PriorityMapping = { severity: Severity; priority: string }[];
/** What becomes of findings when tickets move. */
export type StatusMapping = { ticket_status: string; finding_status: FindingStatus }[];

/** What may be shown of any connection to a tracker. */
export interface TrackerSettings {
  /** Address of the site, without a slash at its end. */
  url: string;
  priority_mapping: PriorityMapping;
  /** Whether a ticket gets a comment when its finding is resolved. */
  comment_on_resolve: boolean;
}

export const priorityOf = ({ priority_mapping }: TrackerSettings, severity: Severity | null): string | null =>
  priority_mapping.find((one) => one.severity === severity)?.priority ?? null;
