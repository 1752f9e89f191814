import { hash } from 'node:crypto';
import { filled, open, type BomWriter } from './bom-writer.js';
import type { ComponentRow, SbomRow } from './records.js';

const PURPOSES = new Set(
  'APPLICATION FRAMEWORK LIBRARY CONTAINER OPERATING-SYSTEM DEVICE FIRMWARE SOURCE ARCHIVE FILE INSTALL OTHER'.split(' '),
);
const ALGORITHMS = new Set(
  'MD5 SHA1 SHA224 SHA256 SHA384 SHA512 SHA3-256 SHA3-384 SHA3-512 BLAKE2b-256 BLAKE2b-384 BLAKE2b-512 BLAKE3'.split(' '),
);
const ROOT = 'SPDXRef-Artifact';
const NOTHING = 'NOASSERTION';

/** An id of SPDX for what a document calls something: those of SPDX are kept. */
const idOf = (ref: string): string => (/^SPDXRef-[A-Za-z0-9.-]+$/.test(ref) ? ref : `SPDXRef-${hash('sha256', ref).slice(0, 24)}`);
const rootId = ({ ref }: SbomRow): string => (ref === null ? ROOT : idOf(ref));

const purposeOf = (kind: string): string => {
  const upper = kind.toUpperCase();
  return (PURPOSES.has(upper) ? upper : 'OTHER').replaceAll('-', '_').replace('OPERATING_SYSTEM', 'OPERATING-SYSTEM');
};

/** Names that are no ids of the license list can stand in a comment only. */
const isExpression = (license: string): boolean =>
  license
    .split(/\s+(?:OR|AND|WITH)\s+/)
    .every((one) => /^\(*[A-Za-z0-9.+-]+\)*$/.test(one) && /\d|^\(*(?:MIT|ISC)\)*$|^LicenseRef-/.test(one));

function licensesOf({ licenses }: ComponentRow) {
  const known = licenses.filter(isExpression);
  const others = licenses.filter((license) => !isExpression(license));
  const expression = known.map((one) => (known.length > 1 && / OR /.test(one) ? `(${one})` : one)).join(' AND ');
  return { licenseDeclared: expression || NOTHING, licenseComments: others.length > 0 ? `Named: ${others.join(', ')}` : null };
}

function references(purl: string | null, cpe: string | null): object[] {
  return [
    ...(purl === null ? [] : [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }]),
    ...(cpe === null
      ? []
      : [{ referenceCategory: 'SECURITY', referenceType: cpe.startsWith('cpe:2.3') ? 'cpe23Type' : 'cpe22Type', referenceLocator: cpe }]),
  ];
}

function spdxPackage(row: ComponentRow, ref: string): object {
  return filled({
    SPDXID: idOf(ref),
    name: row.name,
    versionInfo: row.version,
    supplier: row.supplier === null ? null : `Organization: ${row.supplier}`,
    downloadLocation: NOTHING,
    filesAnalyzed: false,
    primaryPackagePurpose: purposeOf(row.kind),
    licenseConcluded: NOTHING,
    ...licensesOf(row),
    checksums: row.hashes
      .map(({ algorithm, value }) => ({ algorithm: algorithm.replace(/^SHA-(?=\d)/, 'SHA'), checksumValue: value }))
      .filter(({ algorithm }) => ALGORITHMS.has(algorithm)),
    externalRefs: references(row.purl, row.cpe),
  });
}

/** SPDX 2.3 as JSON. @see https://spdx.github.io/spdx-spec/v2.3/ */
export const SPDX: BomWriter = {
  mediaType: 'application/spdx+json',
  head: (sbom) =>
    `${open({
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name: sbom.name,
      documentNamespace:
        sbom.serial !== null && /^https?:\/\/[^#\s]+$/.test(sbom.serial)
          ? sbom.serial
          : `https://palisade.invalid/spdx/${hash('sha256', `${sbom.artifact_id} ${sbom.scan_run_id}`).slice(0, 32)}`,
      creationInfo: { created: sbom.observed_at.toISOString().replace(/\.\d+Z$/, 'Z'), creators: ['Tool: Palisade'] },
    })},"packages":[\n${JSON.stringify(
      filled({
        SPDXID: rootId(sbom),
        name: sbom.name,
        versionInfo: sbom.version,
        downloadLocation: NOTHING,
        filesAnalyzed: false,
        primaryPackagePurpose: purposeOf(sbom.kind),
        licenseConcluded: NOTHING,
        licenseDeclared: NOTHING,
        externalRefs: references(sbom.purl, null),
      }),
    )}${sbom.component_count > 0 ? ',' : ''}`,
  components: (row) => (row.refs.length > 0 ? row.refs : [row._id]).map((ref) => spdxPackage(row, ref)),
  between: (sbom) =>
    `\n],"relationships":[\n${JSON.stringify({ spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: rootId(sbom) })}`,
  beginsDependencies: () => false,
  dependencies: (edges) =>
    edges.flatMap(({ ref, on }) =>
      [...new Set(on)].map((to) => ({ spdxElementId: idOf(ref), relationshipType: 'DEPENDS_ON', relatedSpdxElement: idOf(to) })),
    ),
  tail: '\n]}\n',
};
