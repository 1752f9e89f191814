import { readJson } from '../readers/json/records.js';
import { readXml } from '../readers/xml/records.js';
import type { XmlElement } from '../readers/xml/element.js';
import type { ReportSource } from '../types.js';

/** A time with its zone; Grype and Trivy write nanoseconds, some tools an offset, and Go prints `2021-01-02 15:04:05.123 +0000 UTC`. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*\s?(Z|[+-]\d\d:?\d\d)?(?:\s[A-Z]{3,4})?$/;

/** Reads when a report was made: the first time that stands at one of these paths; undefined where none does, or none with its zone. */
export function timeAt(...paths: string[]): (source: ReportSource) => Promise<Date | undefined> {
  return readTime(paths, undefined);
}

/** As `timeAt`, for tools that write UTC without saying so. */
export function utcTimeAt(...paths: string[]): (source: ReportSource) => Promise<Date | undefined> {
  return readTime(paths, 'Z');
}

function readTime(paths: string[], silentZone: string | undefined) {
  return async (source: ReportSource): Promise<Date | undefined> => {
    for await (const item of readJson(source, paths)) {
      const time = item.kind === 'value' && typeof item.value === 'string' ? toTime(item.value, silentZone) : undefined;
      if (time !== undefined) return time;
    }
    return undefined;
  };
}

/**
 * Reads when an XML report was made: the first time that `textOf` finds in an element of a path.
 * @param path as `readXml` takes it; `nmaprun/@` looks at the beginning of the root alone
 */
export function timeInXml(
  path: string,
  textOf: (element: XmlElement) => string | undefined,
): (source: ReportSource) => Promise<Date | undefined> {
  return async (source) => {
    for await (const item of readXml(source, [path])) {
      const text = item.kind === 'open' || item.kind === 'value' ? textOf(item.value) : undefined;
      const time = text === undefined ? undefined : toTime(text);
      if (time !== undefined) return time;
    }
    return undefined;
  };
}

/**
 * A time of a report (ISO 8601, or as Go prints it); undefined for what is none.
 * @param silentZone what a time means that names no zone; without it such a time is none
 */
export function toTime(text: string, silentZone?: string): Date | undefined {
  const [, day, time, zone = silentZone] = TIMESTAMP.exec(text.trim()) ?? [];
  const date = new Date(`${day}T${time}${zone}`);
  // a scanner that does not know writes the year 1
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1990 ? undefined : date;
}
