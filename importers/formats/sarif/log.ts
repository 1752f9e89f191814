import { readJson } from '../../readers/json/records.js';
import { asObject, objectAt, objectsAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { sarifRule } from './rule.js';
import type { ImportItem, ReportSource } from '../../types.js';
import type { SarifComponent, SarifRun } from './run.js';

/** The first pass over a log: its runs without their results, and what of them is broken. */
export interface SarifLog {
  runs: SarifRun[];
  /** Whether a `runs` array was met. */
  hasRuns: boolean;
  truncated: boolean;
  broken: ImportItem[];
}

const DRIVER = 'runs[*].tool.driver';
const EXTENSION = 'runs[*].tool.extensions[*]';
const PATHS = [
  ...['name', 'version', 'semanticVersion', 'rules[*]'].map((name) => `${DRIVER}.${name}`),
  ...['name', 'version', 'semanticVersion', 'rules[*]'].map((name) => `${EXTENSION}.${name}`),
  'runs[*].artifacts[*].location',
  'runs[*].versionControlProvenance[*]',
  'runs[*].originalUriBaseIds',
  'runs[*].automationDetails',
  'runs[*].invocations[*].workingDirectory',
  'runs[*].invocations[*].executionSuccessful',
  'runs[*].properties',
];

/** Reads all of a SARIF log but its results (SARIF 2.1.0 section 3.14). Throws as `readJson` does. */
export async function readSarifLog(source: ReportSource): Promise<SarifLog> {
  const log: SarifLog = { runs: [], hasRuns: false, truncated: false, broken: [] };
  for await (const item of readJson(source, PATHS)) {
    if (item.kind === 'array') log.hasRuns ||= item.path === 'runs';
    else if (item.kind === 'truncated') log.truncated = true;
    else if (item.kind === 'broken')
      log.broken.push({ kind: 'broken', position: item.position, reason: `${item.reason} (byte ${item.offset})` });
    else take(runAt(log, item.indices[0] as number), item.path, item.indices, item.value);
  }
  return log;
}

/** The run of an index; one that had nothing but results is empty. */
export function runAt(log: SarifLog, index: number): SarifRun {
  return (log.runs[index] ??= {
    driver: newComponent(),
    extensions: [],
    artifacts: [],
    repository: undefined,
    revision: undefined,
    branch: undefined,
    root: undefined,
    image: undefined,
    imageDigests: [],
    automationId: undefined,
    hasFailed: false,
    resource: undefined,
  });
}

function newComponent(): SarifComponent {
  return { name: undefined, version: undefined, rules: [], byId: new Map() };
}

function take(run: SarifRun, path: string, indices: readonly number[], value: unknown): void {
  const object = asObject(value);
  const inner = indices[1] ?? 0;
  if (path.startsWith(DRIVER)) takeComponent(run.driver, path.slice(DRIVER.length + 1), inner, value);
  else if (path.startsWith(EXTENSION))
    takeComponent((run.extensions[inner] ??= newComponent()), path.slice(EXTENSION.length + 1), indices[2] ?? 0, value);
  else if (path.endsWith('.location')) run.artifacts[inner] = textAt(object, 'uri');
  else if (path.endsWith('Provenance[*]')) {
    run.repository ??= textAt(object, 'repositoryUri');
    run.revision ??= textAt(object, 'revisionId');
    run.branch ??= textAt(object, 'branch');
  } else if (path.endsWith('automationDetails')) run.automationId = textAt(object, 'id');
  else if (path.endsWith('executionSuccessful')) run.hasFailed ||= value === false;
  else if (path.endsWith('workingDirectory')) run.root ??= textAt(object, 'uri');
  else if (path.endsWith('originalUriBaseIds')) run.root = baseOf(object) ?? run.root;
  else if (path.endsWith('.properties')) takeProperties(run, object);
}

function takeComponent(component: SarifComponent, part: string, index: number, value: unknown): void {
  if (part === 'rules[*]') {
    const rule = sarifRule(asObject(value));
    component.rules[index] = rule;
    if (rule !== undefined && !component.byId.has(rule.id)) component.byId.set(rule.id, rule);
  } else if (typeof value === 'string' && part === 'name') component.name = value;
  else if (typeof value === 'string') component.version ??= value;
}

function baseOf(bases: JsonObject | undefined): string | undefined {
  for (const key of ['%SRCROOT%', 'SRCROOT', 'PROJECTROOT', 'ROOTPATH', ...Object.keys(bases ?? {})]) {
    const uri = textAt(objectAt(bases, key), 'uri');
    if (uri !== undefined && uri !== 'file:///') return uri;
  }
  return undefined;
}

/** Scanners of images say in the run's properties what they scanned. */
function takeProperties(run: SarifRun, properties: JsonObject | undefined): void {
  run.image = textAt(properties, 'imageName') ?? textsAt(properties, 'repoTags')[0];
  run.imageDigests = textsAt(properties, 'repoDigests');
  const [provenance] = objectsAt(properties, 'versionControlProvenance');
  run.repository ??= textAt(provenance, 'repositoryUri');
}
