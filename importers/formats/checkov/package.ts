import { toRating } from '../../normalize/cvss.js';
import type { ReportItems } from '../../normalize/observation.js';
import { licenseItems } from '../../normalize/package-license.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import { toSeverity } from '../../normalize/severity.js';
import { compact, numberAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import { fileOf, resultOf, severityOf, type CheckovContext } from './context.js';

/** Turns one vulnerability, or one license, of a package into its rule (the first time) and its observation. */
export function readCheckovPackage(
  record: JsonObject,
  { position }: JsonValueItem,
  { place }: CheckovContext,
  items: ReportItems,
): ImportItem[] {
  const checkId = requireText(record, 'check_id');
  const result = resultOf(record);
  const details = objectAt(record, 'vulnerability_details');
  if (result === undefined || details === undefined) return [];
  const name = requireText(details, 'package_name', 'vulnerability_details.package_name');
  const version = textAt(details, 'package_version');
  const license = textAt(details, 'license');
  const id = textAt(details, 'id') ?? textAt(details, 'cve_id');
  if (id === undefined && license !== undefined) {
    if (result === 'PASS') return [];
    const evidence = { installed_version: version, policy: textAt(details, 'policy') ?? checkId };
    return licenseItems(
      { source: 'checkov', license, severity: severityOf(record), place, packageName: name, file: fileOf(record), evidence, position },
      items,
    );
  }
  const status = textAt(details, 'status');
  const fixes = [textAt(details, 'lowest_fixed_version'), textAt(details, 'fix_version'), /fixed in (.+)/i.exec(status ?? '')?.[1]];
  return vulnerabilityItems(
    {
      source: 'checkov',
      advisory: {
        id: id ?? checkId.replace(/^(?:CKV|BC)_CVE_(\d{4})_/, 'CVE-$1-'),
        description: textAt(details, 'description') ?? textAt(record, 'description'),
        severity: toSeverity(textAt(details, 'severity') ?? textAt(record, 'severity')),
        ratings: [toRating(numberAt(details, 'cvss'), textAt(details, 'vector'))],
        urls: [textAt(details, 'link')],
        fixedVersions: fixes.flatMap((fix) => fix?.split(/\s*,\s*/) ?? []).filter((fix) => /^v?\d/.test(fix)),
        publishedAt: textAt(details, 'published_date'),
      },
      package: {
        name,
        version,
        ecosystem: textAt(details, 'package_type') ?? textAt(details, 'package_registry'),
        paths: [fileOf(record)],
      },
      place,
      result,
      evidence: compact({
        status,
        check_id: checkId,
        risk_factors: textsAt(details, 'risk_factors'),
        licenses: textAt(details, 'licenses'),
      }),
      position,
    },
    items,
  );
}
