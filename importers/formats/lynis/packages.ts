import { artifactItem } from '../../normalize/component.js';
import { isNamed } from '../../normalize/host.js';
import { hostPackageItem, isKnownSystem } from '../../normalize/host-package.js';
import type { ImportItem } from '../../types.js';
import type { LynisHost } from './host.js';

/**
 * The packages of a host (`installed_packages_array`), as the components of the host: none where it has no name of its own, or where it is not known whose packages they are.
 * Lynis tells no source packages.
 */
export function packageItems(value: string, position: string, host: LynisHost): ImportItem[] {
  const { system, place } = host;
  if (system === null || !isKnownSystem(system) || !isNamed(place)) return [];
  const packages = value.split('|').flatMap((part) => {
    const [, name, version] = /^([^,\s]+),(\S+)$/.exec(part.trim()) ?? [];
    // a part of another shape names no package
    return name === undefined || version === undefined
      ? []
      : [hostPackageItem(system, { name: name.replace(/:[a-z0-9]+$/, ''), version, position })];
  });
  if (packages.length === 0) return [];
  return [artifactItem(place, { document: 'Lynis', kind: 'operating-system', name: place.resource_uid, position }), ...packages];
}
