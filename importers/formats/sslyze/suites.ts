import type { Severity } from '../../../schema/model.js';
import { numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';

/** A version of the protocol: the commands that ask for it, and how bad it is to offer it. */
export interface TlsVersion {
  id: string;
  name: string;
  commands: readonly string[];
  severity?: Severity;
}

export const VERSIONS: readonly TlsVersion[] = [
  { id: 'ssl-2.0', name: 'SSLv2', commands: ['ssl_2_0_cipher_suites', 'sslv2'], severity: 'high' },
  { id: 'ssl-3.0', name: 'SSLv3', commands: ['ssl_3_0_cipher_suites', 'sslv3'], severity: 'high' },
  { id: 'tls-1.0', name: 'TLSv1.0', commands: ['tls_1_0_cipher_suites', 'tlsv1'], severity: 'medium' },
  { id: 'tls-1.1', name: 'TLSv1.1', commands: ['tls_1_1_cipher_suites', 'tlsv1_1'], severity: 'medium' },
  { id: 'tls-1.2', name: 'TLSv1.2', commands: ['tls_1_2_cipher_suites', 'tlsv1_2'] },
  { id: 'tls-1.3', name: 'TLSv1.3', commands: ['tls_1_3_cipher_suites', 'tlsv1_3'] },
];

const WEAK = /_(?:NULL|EXPORT\d*|RC[24]|DES40|DES|3DES|anon|MD5|IDEA)(?:_|$)/;
const LEAST_BITS = 112;

/** The suites of a version that the server accepts; undefined where the scan did not ask. */
export function suitesOf({ commands }: TlsVersion, results: (name: string) => JsonObject | undefined): JsonObject[] | undefined {
  const result = commands.map(results).find((one) => one !== undefined);
  if (result === undefined) return undefined;
  for (const member of ['accepted_cipher_suites', 'accepted_cipher_list'])
    if (Array.isArray(result[member])) return objectsAt(result, member).map((suite) => objectAt(suite, 'cipher_suite') ?? suite);
  return undefined;
}

/** Names of accepted suites that protect little, each once; undefined where no version was asked for. */
export function weakSuites(results: (name: string) => JsonObject | undefined): string[] | undefined {
  const asked = VERSIONS.map((version) => suitesOf(version, results)).filter((suites) => suites !== undefined);
  if (asked.length === 0) return undefined;
  const weak = asked.flat().flatMap((suite) => {
    const name = textAt(suite, 'name') ?? textAt(suite, 'openssl_name') ?? '';
    const isWeak = WEAK.test(name) || suite['is_anonymous'] === true || (numberAt(suite, 'key_size') ?? LEAST_BITS) < LEAST_BITS;
    return isWeak && name !== '' ? [name] : [];
  });
  return [...new Set(weak)].sort();
}
