import { clusterObjectPlace, clusterPlace } from '../../normalize/cluster-object.js';
import { imagePlace, imageReference } from '../../normalize/artifact.js';
import type { ImageFacts } from '../../normalize/image-asset.js';
import type { Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { asObject, objectAt, objectsAt, textAt, type JsonObject, plainText } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** Where reports stand: one alone, the items of a list, the elements of an array. */
export const LISTED = ['', 'items[*].', '$[*].'];
/** Where they stand in lists by the names of their resources. */
export const BY_NAME = ['*[*].'];
const REPORTS = [...LISTED, ...BY_NAME];
/** Where the bill of CycloneDX in a report of components has them, and what they depend on. */
export const BILL_COMPONENTS = 'report.components.components[*]';
export const BILL_DEPENDENCIES = 'report.components.dependencies[*]';
const RECORDS = [
  'report.vulnerabilities[*]',
  'report.checks[*]',
  'report.secrets[*]',
  BILL_COMPONENTS,
  'status.detailReport.results[*]',
  'status.summaryReport.controlCheck[*]',
];
const MEMBERS = [
  'kind',
  'metadata',
  'report.artifact',
  'report.components.specVersion',
  'report.registry',
  'report.scanner',
  'report.os',
  'spec.compliance',
  'spec.name',
];

/** The paths of the records of reports, and of what stands around them. */
export const recordsOf = (places: readonly string[]): string[] => places.flatMap((at) => RECORDS.map((path) => `${at}${path}`));
export const surroundingsOf = (places: readonly string[]): string[] => places.flatMap((at) => MEMBERS.map((path) => `${at}${path}`));

/** One report of the operator, as far as its records need it. */
export interface OperatorReport {
  kind: string;
  /** Where the looked-at object lies. */
  object: PlaceDraft;
  /** The image, of reports that look into one. */
  image: PlaceDraft | undefined;
  facts: ImageFacts;
  container: string | undefined;
  scanner: JsonObject | undefined;
  compliance: JsonObject | undefined;
  /** The version of CycloneDX of the bill in it. */
  bill: string | undefined;
}

/** The reports of an upload by their place in it. */
export class OperatorReports {
  private readonly reports = new Map<string, OperatorReport>();
  /** Image -> the report that is taken for its bill. */
  readonly bills = new Map<string, string>();

  constructor(
    private readonly surroundings: Surroundings,
    readonly options: ImportOptions,
  ) {}

  /** The report that a record lies in. */
  at(path: string, indices: readonly number[], names: readonly string[]): OperatorReport {
    const list = REPORTS.find((at) => at !== '' && path.startsWith(at)) ?? '';
    const key = `${list} ${list === '' ? '' : indices[0]} ${names.join()}`;
    const known = this.reports.get(key);
    if (known !== undefined) return known;
    const report = this.read(list, indices, names);
    this.reports.set(key, report);
    return report;
  }

  /** The reports that look into an image, one of each kind for each image: workloads share them. */
  get ofImages(): OperatorReport[] {
    const reports = REPORTS.flatMap((at) =>
      this.surroundings.all(`${at}report.artifact`).map(({ path, indices, names }) => this.at(path, indices, names)),
    );
    return [...new Map(reports.map((report) => [`${report.kind} ${report.image?.resource_uid}`, report])).values()];
  }

  private read(list: string, indices: readonly number[], names: readonly string[]): OperatorReport {
    const value = (member: string): unknown => this.surroundings.near(`${list}${member}`, indices, names);
    const metadata = asObject(value('metadata'));
    const labels = objectAt(metadata, 'labels');
    const label = (name: string): string | undefined => textAt(labels, `trivy-operator.${name}`) ?? textAt(labels, `starboard.${name}`);
    const owner = objectsAt(metadata, 'ownerReferences')[0];
    const kind = label('resource.kind') ?? textAt(owner, 'kind');
    const name =
      label('resource.name') ?? textAt(objectAt(metadata, 'annotations'), 'trivy-operator.resource.name') ?? textAt(owner, 'name');
    const namespace = label('resource.namespace') ?? textAt(metadata, 'namespace');
    const place =
      kind === undefined || name === undefined
        ? clusterPlace(undefined, this.options)
        : clusterObjectPlace({ kind, namespace, name }, undefined, this.options);
    // one report alone tells of no other object
    const object = list === '' && this.options.artifact === undefined ? { ...place, artifact: place.resource_uid } : place;
    const artifact = asObject(value('report.artifact'));
    const [repository, digest] = [textAt(artifact, 'repository'), textAt(artifact, 'digest')];
    const registry = textAt(asObject(value('report.registry')), 'server');
    const os = asObject(value('report.os'));
    const system = [textAt(os, 'family'), textAt(os, 'name')].filter((part) => part !== undefined).join(' ') || undefined;
    const named = repository === undefined ? undefined : { registry, repository, digest };
    const digests = named === undefined || digest === undefined ? undefined : [imageReference(named)];
    return {
      kind: plainText(value('kind')),
      object,
      image:
        named === undefined
          ? undefined
          : imagePlace(imageReference({ ...named, tag: textAt(artifact, 'tag') }), this.options, { image_digests: digests, os: system }),
      facts: { digests, system },
      container: label('container.name'),
      scanner: asObject(value('report.scanner')),
      bill: plainText(value('report.components.specVersion')) || undefined,
      compliance: asObject(value('spec.compliance')) ?? (value('spec.name') === undefined ? undefined : { title: value('spec.name') }),
    };
  }
}
