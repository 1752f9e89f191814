import { filled, open, type BomWriter } from './bom-writer.js';
import type { ComponentRow, SbomRow } from './records.js';

/** Kinds of components that CycloneDX 1.6 has. */
const KINDS = new Set(
  'application framework library container platform operating-system device device-driver firmware file machine-learning-model data cryptographic-asset'.split(
    ' ',
  ),
);
const ALGORITHMS = new Set(
  'MD5 SHA-1 SHA-256 SHA-384 SHA-512 SHA3-256 SHA3-384 SHA3-512 BLAKE2b-256 BLAKE2b-384 BLAKE2b-512 BLAKE3'.split(' '),
);
const SERIAL = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const kindOf = (kind: string, otherwise: string): string => (KINDS.has(kind) ? kind : otherwise);

const rootRef = ({ ref, artifact_id }: SbomRow): string => ref ?? artifact_id;

/** An expression stands alone; ids and names are licenses each. */
function licensesOf(licenses: readonly string[]): object[] {
  const [only] = licenses;
  if (licenses.length === 1 && / (?:OR|AND|WITH) /.test(only!)) return [{ expression: only }];
  return licenses.map((license) => ({
    license: /^[A-Za-z0-9.+-]+$/.test(license) && /\d|^MIT$|^ISC$/.test(license) ? { id: license } : { name: license },
  }));
}

function component(row: ComponentRow, ref: string): object {
  return filled({
    type: kindOf(row.kind, 'library'),
    'bom-ref': ref,
    name: row.name,
    version: row.version,
    supplier: row.supplier === null ? null : { name: row.supplier },
    scope: row.scope !== null && ['required', 'optional', 'excluded'].includes(row.scope) ? row.scope : null,
    hashes: row.hashes
      .filter(({ algorithm }) => ALGORITHMS.has(algorithm))
      .map(({ algorithm, value }) => ({ alg: algorithm, content: value })),
    licenses: licensesOf(row.licenses),
    cpe: row.cpe,
    purl: row.purl,
  });
}

/** CycloneDX 1.6 as JSON. @see https://cyclonedx.org/docs/1.6/json/ */
export const CYCLONEDX: BomWriter = {
  mediaType: 'application/vnd.cyclonedx+json',
  head: (sbom) =>
    `${open({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      ...(sbom.serial !== null && SERIAL.test(sbom.serial) && { serialNumber: sbom.serial }),
      version: 1,
      metadata: {
        timestamp: sbom.observed_at.toISOString(),
        component: filled({
          type: kindOf(sbom.kind, 'application'),
          'bom-ref': rootRef(sbom),
          name: sbom.name,
          version: sbom.version,
          purl: sbom.purl,
        }),
      },
    })},"components":[`,
  components: (row) => (row.refs.length > 0 ? row.refs : [row._id]).map((ref) => component(row, ref)),
  between: () => '\n],"dependencies":[',
  beginsDependencies: () => true,
  dependencies: (edges) => edges.map(({ ref, on }) => ({ ref, dependsOn: [...new Set(on)] })),
  tail: '\n]}\n',
};
