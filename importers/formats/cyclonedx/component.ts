import { componentItem } from '../../normalize/component.js';
import { BrokenRecord } from '../../readers/record.js';
import { objectAt, objectsAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';

/** Components in components, at most: deeper ones are no longer parts of anything. */
const MOST_LEVELS = 20;

/** The name of a component with its group, as package URLs join them. */
export function nameOf(component: JsonObject | undefined): string | undefined {
  const [group, name] = [textAt(component, 'group'), textAt(component, 'name')];
  return name === undefined || group === undefined ? name : `${group}/${name}`;
}

/**
 * The items of a component, and of those in it.
 * @param direct what the bill calls the components that its root depends on, where it tells
 */
export function componentItems(component: JsonObject, position: string, direct: ReadonlySet<string> | undefined, level = 0): ImportItem[] {
  requireText(component, 'name');
  if (level > MOST_LEVELS) throw new BrokenRecord('components stand in each other too deep');
  const ref = textAt(component, 'bom-ref');
  const item = componentItem({
    name: nameOf(component)!,
    version: textAt(component, 'version'),
    purl: textAt(component, 'purl'),
    kind: textAt(component, 'type'),
    cpe: textAt(component, 'cpe'),
    scope: textAt(component, 'scope'),
    supplier: textAt(objectAt(component, 'supplier'), 'name') ?? textAt(component, 'publisher'),
    licenses: licensesOf(component),
    hashes: objectsAt(component, 'hashes').flatMap((hash) => {
      const [algorithm, value] = [textAt(hash, 'alg'), textAt(hash, 'content')];
      return algorithm === undefined || value === undefined ? [] : { algorithm, value };
    }),
    ...sourceOf(component),
    relation: direct === undefined || ref === undefined ? undefined : direct.has(ref) ? 'direct' : 'transitive',
    ref,
    position,
  });
  return [
    item,
    ...objectsAt(component, 'components').flatMap((inner, n) => componentItems(inner, `${position}.components[${n}]`, direct, level + 1)),
  ];
}

/** What it is licensed under: what the document declares, by ids, names and expressions. */
function licensesOf(component: JsonObject): string[] {
  return objectsAt(component, 'licenses').flatMap((choice) => {
    const license = objectAt(choice, 'license');
    return textAt(choice, 'expression') ?? textAt(license, 'id') ?? textAt(license, 'name') ?? [];
  });
}

/** The source package of a distribution's package, which Trivy tells in properties. */
function sourceOf(component: JsonObject) {
  const properties = objectsAt(component, 'properties');
  const property = (name: string) => {
    const found = properties.find((one) => textAt(one, 'name') === `aquasecurity:trivy:${name}`);
    return textAt(found, 'value');
  };
  const [source_name, version, release] = [property('SrcName'), property('SrcVersion'), property('SrcRelease')];
  return { source_name, source_version: version !== undefined && release !== undefined ? `${version}-${release}` : version };
}

/** What a thing of the bill depends on. */
export function dependencyItems(dependency: JsonObject): ImportItem[] {
  const [ref, on] = [textAt(dependency, 'ref'), textsAt(dependency, 'dependsOn')];
  return ref === undefined || on.length === 0 ? [] : [{ kind: 'dependency', dependency: { ref, on } }];
}
