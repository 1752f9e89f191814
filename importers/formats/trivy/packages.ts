import { artifactItem, componentItem } from '../../normalize/component.js';
import { asObject, BrokenRecord, listAt, numberAt, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import type { ImportItem, ImportOptions, ReportSource } from '../../types.js';
import { trivyResults, type TrivyContext, type TrivyResult } from './context.js';
import { trivyResource } from './place.js';

const PACKAGES = ['Results[*].Packages[*]', '$[*].Packages[*]'];

/**
 * The components of what was scanned, where the report lists all packages (`--list-all-pkgs`); those of a cluster's many images it does not. They are
 * no records: whoever counts findings counts them as before.
 */
export async function* packageItems(source: ReportSource, context: TrivyContext, options: ImportOptions): AsyncGenerator<ImportItem> {
  const lists = [...trivyResults(context)].filter(({ result, workload }) => workload === undefined && (result.packages ?? 0) > 0);
  const [first] = lists;
  if (first === undefined) return;
  const place = trivyResource('Vulnerabilities', {}, first.result, undefined, context, options);
  const digest = context.image?.digests.map((one) => one.slice(one.indexOf('@') + 1))[0];
  yield artifactItem(place, { name: place.resource_name, digest, document: `Trivy ${context.version ?? ''}`.trim() });
  for await (const item of readJson(source, PACKAGES)) {
    const found = item.kind === 'value' ? asObject(item.value) : undefined;
    if (found === undefined || item.kind !== 'value') continue;
    const [list = 0] = item.indices;
    const result = context.results.get(`${item.path.startsWith('$') ? '$[*]' : 'Results[*]'}:${list}`);
    yield* itemsOf(found, list, result, item.position);
  }
}

function itemsOf(found: JsonObject, list: number, result: TrivyResult | undefined, position: string): ImportItem[] {
  const [name, id] = [textAt(found, 'Name'), textAt(found, 'ID')];
  if (name === undefined) return [];
  const refOf = (one: string) => `${list}/${one}`;
  const relation = textAt(found, 'Relationship') ?? (listAt(found, 'Indirect').length > 0 ? 'indirect' : undefined);
  const digest = /^(sha1|sha256|md5):(.+)$/.exec(textAt(found, 'Digest') ?? '');
  const on = textsAt(found, 'DependsOn');
  try {
    const component = componentItem({
      name,
      version: versionOf(found, ''),
      purl: textAt(objectAt(found, 'Identifier'), 'PURL'),
      ecosystem: result?.type,
      source_name: textAt(found, 'SrcName'),
      source_version: versionOf(found, 'Src'),
      licenses: textsAt(found, 'Licenses'),
      hashes: digest === null ? [] : [{ algorithm: digest[1] === 'md5' ? 'MD5' : `SHA-${digest[1]!.slice(3)}`, value: digest[2]! }],
      relation: relation === 'direct' || relation === 'workspace' ? 'direct' : relation === 'indirect' ? 'transitive' : undefined,
      ref: id === undefined ? undefined : refOf(id),
      position,
    });
    if (id === undefined || on.length === 0) return [component];
    return [component, { kind: 'dependency', dependency: { ref: refOf(id), on: on.map(refOf) } }];
  } catch (error) {
    // the vulnerabilities of a package that cannot be named are told all the same
    if (error instanceof BrokenRecord) return [];
    throw error;
  }
}

/** A version as the distribution writes it. @param prefix `Src` for that of the source package */
function versionOf(found: JsonObject, prefix: '' | 'Src'): string | undefined {
  const [version, release] = [textAt(found, `${prefix}Version`), textAt(found, `${prefix}Release`)];
  const epoch = numberAt(found, `${prefix}Epoch`) ?? 0;
  if (version === undefined) return undefined;
  return `${epoch > 0 ? `${epoch}:` : ''}${version}${release === undefined ? '' : `-${release}`}`;
}
