import { basename, resolve, sep } from 'node:path';
import type { InventorySource, Skipped } from '../types.js';
import { isChartFile, renderChart } from './helm.js';
import { buildKustomization, isKustomization, partsOf } from './kustomize.js';
import type { ValueFiles } from './value-files.js';

/** What tools made of the charts and kustomizations below a folder. */
export interface Rendered {
  sources: InventorySource[];
  skipped: Skipped[];
  /** Whether a file is part of what was rendered, or says how: it is not read by itself. */
  has(file: string): boolean;
}

/**
 * Renders charts that lie in no other chart, and kustomizations that no other one takes in.
 * @param folders files below the folder, by their folders
 * @param boundary the folder that was named: what lies outside is not read
 * @param values files of values for the charts
 */
export async function render(folders: ReadonlyMap<string, readonly string[]>, boundary: string, values: ValueFiles): Promise<Rendered> {
  const rendered: Omit<Rendered, 'has'> = { sources: [], skipped: [] };
  const settled = new Set<string>();
  const note = (file: string, made: InventorySource | string): void => {
    settled.add(resolve(file));
    if (typeof made === 'string') rendered.skipped.push({ file, reason: made });
    else rendered.sources.push(made);
  };
  const files = [...folders].flatMap(([folder, own]) => own.map((file) => ({ folder, file })));
  const charts = files.filter(({ file }) => isChartFile(basename(file)));
  for (const { folder, file } of charts) {
    if (charts.some((outer) => outer.folder !== folder && resolve(folder).startsWith(resolve(outer.folder) + sep)))
      settled.add(resolve(file));
    else note(file, await renderChart(folder, values));
  }
  const kustomizations = files
    .filter(({ file }) => isKustomization(basename(file)))
    .map((one) => ({ ...one, parts: partsOf(one.file, boundary) }));
  for (const { folder, file, parts } of kustomizations) {
    const isPart = kustomizations.some(
      (outer) => outer.file !== file && 'folders' in outer.parts && outer.parts.folders.has(resolve(folder)),
    );
    if (isPart) {
      settled.add(resolve(file));
      continue;
    }
    const made = await buildKustomization(file, parts);
    note(file, made);
    if (typeof made !== 'string' && 'files' in parts) for (const part of parts.files) settled.add(part);
  }
  return { ...rendered, has: (file) => settled.has(resolve(file)) };
}
