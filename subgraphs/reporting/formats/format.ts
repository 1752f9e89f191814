/** What can be exported. */
export const SUBJECTS = ['findings', 'assets', 'framework', 'audit_log'] as const;
export type SubjectKind = (typeof SUBJECTS)[number];

/** One thing that is exported, by the names of its fields. Moments are dates or ISO 8601. */
export type Row = Readonly<Record<string, unknown>>;

/** A column of tables. */
export interface Column {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'date' | 'flag' | 'json';
}

/** What a file is made of. */
export interface Contents {
  /** The id of the export, a UUID. */
  readonly id: string;
  readonly subject: SubjectKind;
  /** What it holds, in a few words. */
  readonly title: string;
  readonly madeAt: Date;
  readonly columns: readonly Column[];
  /** All rows in batches; to be read once. */
  readonly rows: AsyncIterable<readonly Row[]>;
  /** The facts of a framework; null of anything else. */
  readonly framework: Row | null;
  /** Counts something that readers of the file are to be told: `cells_cut`. */
  tell(name: string, count: number): void;
}

/** One format of files. */
export interface ExportFormat {
  readonly name: string;
  readonly label: string;
  readonly media_type: string;
  readonly extension: string;
  readonly subjects: readonly SubjectKind[];
  /** Rows of findings come with evidence, remediation and mappings. */
  readonly whole?: true;
  /** Rows of findings come with a CVE only. */
  readonly vulnerabilities?: true;
  /** Rows at most, where the format must hold something of each in memory. */
  readonly most?: number;
  /** Its bytes are compressed. */
  readonly isCompressed?: true;
  /** The file in pieces, while the rows come. */
  write(contents: Contents): AsyncIterable<string | Uint8Array>;
}

/** A moment of a row; null for what is none. */
export function momentOf(value: unknown): Date | null {
  if (value instanceof Date) return value;
  const date = typeof value === 'string' ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
}

export const isoOf = (value: unknown): string | null => momentOf(value)?.toISOString() ?? null;

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
export const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
export const recordOf = (value: unknown): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
