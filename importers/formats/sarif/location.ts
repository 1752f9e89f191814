import { compact, member, numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import { sarifFile } from './place.js';
import { sarifText } from './rule.js';
import type { SarifRun } from './run.js';

/** Where a location of a result points (SARIF 2.1.0 section 3.28). */
export interface SarifPlace {
  file: string | undefined;
  line: number | undefined;
  endLine: number | undefined;
  column: number | undefined;
  snippet: string | undefined;
  logical: string | undefined;
}

/** Reads a location; artifacts of the run may hold its address. */
export function placeOf(location: JsonObject | undefined, run: SarifRun): SarifPlace {
  const physical = objectAt(location, 'physicalLocation');
  const artifact = objectAt(physical, 'artifactLocation');
  const region = objectAt(physical, 'region');
  const logical = objectsAt(location, 'logicalLocations')[0];
  const uri = textAt(artifact, 'uri') ?? run.artifacts[numberAt(artifact, 'index') ?? -1];
  return {
    file: uri === undefined ? undefined : sarifFile(uri, run.root),
    line: numberAt(region, 'startLine'),
    endLine: numberAt(region, 'endLine'),
    column: numberAt(region, 'startColumn'),
    snippet: sarifText(region, 'snippet') ?? sarifText(objectAt(physical, 'contextRegion'), 'snippet'),
    logical: textAt(logical, 'fullyQualifiedName') ?? textAt(logical, 'name'),
  };
}

/** `file:line`, as people write it. */
export function locationText(place: SarifPlace): string {
  return `${place.file ?? place.logical ?? ''}${place.line === undefined ? '' : `:${place.line}`}`;
}

/** The data flow of a path problem: the places of its first thread. */
export function stepsOf(result: JsonObject, run: SarifRun): Record<string, unknown>[] {
  const thread = objectsAt(objectsAt(result, 'codeFlows')[0], 'threadFlows')[0];
  return objectsAt(thread, 'locations')
    .slice(0, 30)
    .map((step) => {
      const location = objectAt(step, 'location');
      return compact({
        at: locationText(placeOf(location, run)),
        message: sarifText(location, 'message'),
        importance: member(step, 'importance'),
      });
    });
}
