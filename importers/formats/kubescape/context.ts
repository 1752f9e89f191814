import { clusterObjectPlace, clusterPlace } from '../../normalize/cluster-object.js';
import type { Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { asObject, type JsonObject } from '../../readers/json/fields.js';
import type { ControlReference, ImportOptions } from '../../types.js';

/** Members of a framework that tell which controls it has. */
export const FRAMEWORKS = ['name', 'controls'];
/** A collection of everything, which is no standard. */
const NO_STANDARD = /^(?:AllControls|ArmoBest|DevOpsBest|WorkloadScan|ClusterScan|Security)$/i;

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
  private readonly controls: ReadonlyMap<string, JsonObject>;
  private readonly standards = new Map<string, ControlReference[]>();
  private readonly files = new Map<string, string>();
  private readonly places = new Map<string, SeenObject>();

  constructor(
    private readonly surroundings: Surroundings,
    readonly options: ImportOptions,
  ) {
    this.isCut = surroundings.isCut;
    this.cluster = surroundings.text('clusterName') ?? surroundings.text('metadata.contextMetadata.clusterContextMetadata.contextName');
    this.controls = new Map(
      surroundings.all('summaryDetails.controls.*').map(({ names, value }) => [names[0] as string, asObject(value) ?? {}]),
    );
    for (const { indices, value } of surroundings.all('summaryDetails.frameworks[*].controls')) {
      const framework = surroundings.textNear('summaryDetails.frameworks[*].name', indices);
      if (framework === undefined || NO_STANDARD.test(framework)) continue;
      for (const id of Object.keys(asObject(value) ?? {})) {
        const known = this.standards.get(id);
        if (known === undefined) this.standards.set(id, [{ framework, control_id: id.replace(/^CIS-/, '') }]);
        else known.push({ framework, control_id: id.replace(/^CIS-/, '') });
      }
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
  control(id: string): JsonObject | undefined {
    return this.controls.get(id);
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
