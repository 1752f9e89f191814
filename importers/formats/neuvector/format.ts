import { imagePlace, imageReference } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { imageItems } from '../../normalize/image-asset.js';
import { coverage } from '../../normalize/scope.js';
import { asObject } from '../../readers/json/fields.js';
import { readNeuVectorRecord, type NeuVectorContext } from './record.js';

const LISTS = ['vulnerabilities', 'checks', 'secrets'];
const MARKS = ['cvedb_version', 'cvedb_create_time', 'base_os', 'setid_perms', 'modules', 'cmds', 'checks', 'envs'];
const FIELDS = ['feed_rating', 'score_v3', 'vectors_v3', 'last_modified_timestamp'];

/** A scan of NeuVector, by its controller's interface or its scanner. Each vulnerability, check and secret is one record. */
export const format = jsonFormat<NeuVectorContext>({
  name: 'neuvector',
  label: 'NeuVector scan JSON',
  engines: ['vulnerability', 'container-security', 'secops', 'di'],
  detection:
    'A JSON object with a `report` of `vulnerabilities` that have a `package_name` and a `score_v3`, or beside `modules`, `checks` or `cvedb_version`.',
  produce: 'curl -k -H "X-Auth-Token: $TOKEN" "https://$CONTROLLER:10443/v1/scan/image/$IMAGE" > report.json',
  outsideClouds: true,
  expected: 'a scan of NeuVector ({"report": {"vulnerabilities": [{"name": ..., "package_name": ...}], "modules": [...]}})',
  roots: ['object'],
  isOfFormat: (outline) =>
    !outline.has('apiVersion') &&
    outline.has('report') &&
    ((outline.has('report.vulnerabilities') && MARKS.some((name) => outline.has(`report.${name}`))) ||
      (outline.has('report.cvedb_version') && outline.has('report.image_id')) ||
      FIELDS.some((name) => outline.has(`report.vulnerabilities[].${name}`))),
  markers: ['report'],
  records: LISTS.map((list) => `report.${list}[*]`),
  around: ['registry', 'repository', 'tag', 'digest', 'image_id', 'base_os', 'cvedb_version', 'created_at', 'labels'].map(
    (name) => `report.${name}`,
  ),
  context(surroundings, options) {
    const text = (name: string): string | undefined => surroundings.text(`report.${name}`);
    const [repository, digest] = [text('repository'), text('digest')];
    const image =
      repository === undefined
        ? (options.artifact ?? text('image_id') ?? 'image')
        : imageReference({ registry: text('registry'), repository, tag: text('tag'), digest });
    const digests =
      repository === undefined || digest === undefined ? undefined : [imageReference({ registry: text('registry'), repository, digest })];
    return {
      place: imagePlace(image, options, { image_id: text('image_id'), image_digests: digests, os: text('base_os') }),
      facts: { digests, system: text('base_os'), made_at: text('created_at'), labels: asObject(surroundings.value('report.labels')) },
      os: text('base_os'),
      database: text('cvedb_version'),
      options,
    };
  },
  covers: ({ place, facts, options }) => [
    ...['vulnerability', 'container-security', 'secops'].map((engine) => coverage(engine, place.resource_uid, 'neuvector', options)),
    ...imageItems(place, facts, 'neuvector'),
  ],
  convert: readNeuVectorRecord,
});
