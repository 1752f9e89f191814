import { readFileSync } from 'node:fs';

/** What scripts/build/source-lines.mjs makes of a source map: for each line the segments column, source, line. */
interface SourceLines {
  readonly sources: readonly string[];
  readonly lines: readonly (readonly number[])[];
}

/** Bundle, as V8 names it -> the file of its lines, and these once an error of it was shown. */
const bundles = new Map<string, { readonly file: string; read?: SourceLines }>();

/** `file:line` of the source for a place in a bundle; line and column count from 1, as V8 does. */
function sourceOf(bundle: { readonly file: string; read?: SourceLines }, line: number, column: number): string | undefined {
  const { sources, lines } = (bundle.read ??= JSON.parse(readFileSync(bundle.file, 'utf8')) as SourceLines);
  let place: string | undefined;
  const segments = lines[line - 1] ?? [];
  for (let at = 0; at < segments.length && segments[at]! < column; at += 3) place = `${sources[segments[at + 1]!]}:${segments[at + 2]}`;
  return place;
}

/** A frame as V8 writes it, with the place in the source where it is one of a bundle. */
function frame(site: NodeJS.CallSite): string {
  const text = String(site);
  const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  const bundle = file ? bundles.get(file) : undefined;
  const place = bundle && line && column ? sourceOf(bundle, line, column) : undefined;
  return place === undefined ? text : text.replace(`${file}:${line}:${column}`, place);
}

/**
 * From now on the stack traces of this thread name sources where they went through the bundle.
 * @param bundle its name, as V8 writes it
 * @param lines the file of its lines
 */
export function showSources(bundle: string, lines: string): void {
  bundles.set(bundle, { file: lines });
  Error.prepareStackTrace = (error, sites) => [titleOf(error), ...sites.map((site) => `    at ${tryFrame(site)}`)].join('\n');
}

/** A trace must show, whatever became of the file with the lines. */
function tryFrame(site: NodeJS.CallSite): string {
  try {
    return frame(site);
  } catch {
    return String(site);
  }
}

function titleOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
