import { codePlace } from '../../normalize/artifact.js';
import { jsonFormat } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { coverage } from '../../normalize/scope.js';
import { BrokenRecord, requireText, textAt, textsAt, plainText } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** The lists of dependencies: since version 2, and the bare array before. */
const LISTS = ['dependencies[*]', '$[*]'];

interface PipAuditContext {
  place: PlaceDraft;
  /** Name and version by the place in the list. */
  packages: Map<number, { name?: string; version?: string }>;
  options: ImportOptions;
}

/** The JSON report of pip-audit. One vulnerability of one dependency is one record. Its databases (PyPI, OSV) rate nothing. */
export const format = jsonFormat<PipAuditContext>({
  name: 'pip_audit',
  label: 'pip-audit JSON',
  engines: ['vulnerability'],
  detection: 'A JSON object with `dependencies` of `vulns`, or an array of objects with a `name` and `vulns`.',
  produce: 'pip-audit --format json --desc on --aliases on --output report.json',
  outsideClouds: true,
  expected: 'a pip-audit report ({"dependencies": [{"name": ..., "version": ..., "vulns": [...]}]})',
  roots: ['object', 'array'],
  isOfFormat: (outline) =>
    outline.has('dependencies[].vulns') ||
    (outline.has('dependencies') &&
      outline.has('fixes') &&
      (outline.has('dependencies[].skip_reason') || !outline.has('dependencies[]'))) ||
    (outline.has('[].vulns') && outline.has('[].name')),
  markers: ['dependencies', '[].vulns', '[].skip_reason'],
  records: LISTS.map((list) => `${list}.vulns[*]`),
  around: LISTS.flatMap((list) => [`${list}.name`, `${list}.version`]),
  context(surroundings, options) {
    const packages: PipAuditContext['packages'] = new Map();
    for (const member of ['name', 'version'] as const)
      for (const { indices, value } of LISTS.flatMap((list) => surroundings.all(`${list}.${member}`)))
        packages.set(indices[0] as number, { ...packages.get(indices[0] as number), [member]: plainText(value) || undefined });
    return { place: codePlace({}, options), packages, options };
  },
  covers: ({ place, options }) => [coverage('vulnerability', place.resource_uid, 'pip_audit', options)],
  convert(record, { indices, position }, { place, packages }, items) {
    const { name, version } = packages.get(indices[0] as number) ?? {};
    if (name === undefined) throw new BrokenRecord('the name of the dependency is missing');
    const id = requireText(record, 'id');
    return vulnerabilityItems(
      {
        source: 'pip_audit',
        advisory: {
          id,
          aliases: textsAt(record, 'aliases'),
          description: textAt(record, 'description'),
          severity: 'medium',
          fixedVersions: textsAt(record, 'fix_versions'),
          urls: [`https://osv.dev/vulnerability/${id}`],
        },
        package: { name, version, ecosystem: 'PyPI' },
        place,
        evidence: { severity_source: 'none: the scanner rates nothing' },
        position,
      },
      items,
    );
  },
});
