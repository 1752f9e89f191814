import { clusterObjectPlace, clusterPlace } from '../../normalize/cluster-object.js';
import type { Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import type { ControlReference, ImportOptions } from '../../types.js';

const SUMMARY = 'summaryDetails.controls.*.';
const FRAMEWORKS = 'summaryDetails.frameworks[*].';
/** What of the summary is read: each control and each framework also lists all resources, which may be more than memory holds. */
export const SUMMARY_PATHS = [
  ...['name', 'severity', 'scoreFactor', 'description', 'remediation'].map((member) => `${SUMMARY}${member}`),
  ...['name', 'controls.*.controlID'].map((member) => `${FRAMEWORKS}${member}`),
];
/** A collection of everything, which is no standard. */
const NO_STANDARD = /^(?:AllControls|ArmoBest|DevOpsBest|WorkloadScan|ClusterScan|Security)$/i;

/** What a framework's control is a reference to, where the framework is a standard. */
export const frameworkReference = (framework: string | undefined, id: string): ControlReference[] =>
  framework === undefined || NO_STANDARD.test(framework) ? [] : [{ framework, control_id: id.replace(/^CIS-/, '') }];

/** `[path=<digest>/]api=<group>/<version>/<namespace>/<kind>/<name>`, of a cluster without `api=`. */
const OBJECT = /^(?:path=\d+\/)?(?:api=)?([^/]*)\/(?:(v\d\w*)\/)?([^/]*)\/([A-Z]\w*)\/([^/]+)/;

interface SeenObject {
  place: PlaceDraft;
  bindings: string | undefined;
}

/** What the controls of a report share. */
export class KubescapeContext {
  readonly cluster: string | undefined;
  /** Whether the summary of controls, which stands at the end, is missing or not whole. */
  readonly isCut: boolean;
  private readonly standards = new Map<string, ControlReference[]>();
  private readonly files = new Map<string, string>();
  private readonly places = new Map<string, SeenObject>();

  constructor(
    readonly surroundings: Surroundings,
    readonly options: ImportOptions,
  ) {
    this.isCut = surroundings.isCut;
    this.cluster =
      surroundings.text('clusterName') ??
      surroundings.text('metadata.contextMetadata.clusterContextMetadata.contextName') ??
      surroundings.text('$[*].clusterName');
    for (const { indices, names } of surroundings.all(`${FRAMEWORKS}controls.*.controlID`)) {
      const framework = surroundings.textNear(`${FRAMEWORKS}name`, indices);
      const [id] = names;
      if (id !== undefined) this.standards.set(id, [...(this.standards.get(id) ?? []), ...frameworkReference(framework, id)]);
    }
    for (const { indices, value } of surroundings.all('resources[*].source.relativePath')) {
      const id = surroundings.textNear('resources[*].resourceID', indices);
      if (id !== undefined && typeof value === 'string' && value !== '') this.files.set(id, value);
    }
  }

  resourceAt(indices: readonly number[]): string | undefined {
    return this.surroundings.textNear('results[*].resourceID', indices);
  }

  /** What the report's summary says of a control. */
  summaryOf(id: string, member: 'name' | 'severity' | 'scoreFactor' | 'description' | 'remediation'): unknown {
    return this.surroundings.near(`${SUMMARY}${member}`, [], [id]);
  }

  standardsOf(id: string): ControlReference[] {
    return this.standards.get(id) ?? [];
  }

  fileOf(resourceId: string): string | undefined {
    return this.files.get(resourceId);
  }

  /** The object of a resource id, and the bindings of a subject that has its rights by them. */
  placeOf(resourceId = ''): SeenObject {
    const known = this.places.get(resourceId);
    if (known !== undefined) return known;
    const [whole = '', , , namespace, kind, name] = OBJECT.exec(resourceId) ?? [];
    const place =
      kind === undefined || name === undefined
        ? clusterPlace(this.cluster, this.options)
        : clusterObjectPlace({ kind, namespace: namespace || undefined, name }, this.cluster, this.options);
    const bindings = resourceId.slice(whole.length + 1).replace(/path=\d+\//g, '');
    const seen = { place, bindings: bindings === '' || whole === '' ? undefined : bindings };
    this.places.set(resourceId, seen);
    return seen;
  }
}
