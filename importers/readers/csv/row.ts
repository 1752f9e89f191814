import type { ReadItem } from '../record.js';

/** A row by the names of its columns as `columnName` gives them (`cve id`); cells that are empty are empty texts. */
export type CsvRow = Readonly<Record<string, string>>;

/** What stands in a CSV report. A row's position is its line: `line 12`. */
export type CsvItem = ReadItem<CsvRow>;
