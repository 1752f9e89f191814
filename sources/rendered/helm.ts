import { readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { InventorySource } from '../types.js';
import { unreadable } from '../unreadable.js';
import { runTool } from './run-tool.js';
import { renderedSource } from './source.js';
import type { ValueFiles } from './value-files.js';

const CHART = /^Chart\.ya?ml$/;
const BY_HAND = 'render it with helm template and check what that gives';

export const isChartFile = (name: string): boolean => CHART.test(name);

/**
 * A chart as `helm template` renders it with its own values; why it is not. Manifests are placed in the templates that they come from.
 * @param values files of values that count more, the last most: of each chart those that lie in it by that name, else where the check was started
 */
export async function renderChart(chart: string, values: ValueFiles): Promise<InventorySource | string> {
  const fault = faultOf(chart);
  if (fault !== undefined) return `a Helm chart ${fault}: ${BY_HAND}`;
  const given = values.of(chart).flatMap((file) => ['--values', file]);
  const result = await runTool([['helm', 'template', 'release', resolve(chart), ...given]]);
  if ('missing' in result) return `a Helm chart, and helm is not installed: ${BY_HAND}`;
  if ('reason' in result) return `a Helm chart that helm does not render: ${result.reason}`;
  const templates = placesOf(result.output.toString('utf8'));
  const below = resolve(chart) + sep;
  return renderedSource(chart, result.output, {
    // without the name of the chart, which stands before the path
    fileOf: (line) => join(chart, templates.findLast((one) => one.line <= line)?.path ?? 'Chart.yaml'),
    isMadeFrom: (file) => file.startsWith(below) || given.includes(file),
  });
}

/** What keeps a chart from being rendered: a link may lead to what is not to be read, and templates can print files. */
function faultOf(chart: string): string | undefined {
  try {
    return readdirSync(chart, { recursive: true, withFileTypes: true }).some((entry) => entry.isSymbolicLink())
      ? 'with links in it'
      : undefined;
  } catch (error) {
    return `that cannot be read (${unreadable(chart, error).reason})`;
  }
}

function placesOf(output: string): { line: number; path: string }[] {
  return output.split('\n').flatMap((text, n) => {
    const path = /^# Source: [^/]+\/(.+?)\s*$/.exec(text)?.[1];
    return path === undefined ? [] : [{ line: n + 1, path }];
  });
}
