import { toTime } from '../../normalize/report-time.js';
import { listAt, numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { Results, TlsCheck, Verdict } from './check.js';

const LEAST_RSA_BITS = 2_048;
const LEAST_EC_BITS = 224;

/** The certificates that a server shows; one command tells of all. */
const deploymentsOf = (results: Results): JsonObject[] =>
  objectsAt(results('certificate_info') ?? results('certinfo'), 'certificate_deployments');
const leafOf = (deployment: JsonObject): JsonObject | undefined => objectsAt(deployment, 'received_certificate_chain')[0];
const endOf = (leaf: JsonObject | undefined): string | undefined => textAt(leaf, 'not_valid_after') ?? textAt(leaf, 'notAfter');

/** Fails where one of the certificates does; `fails` is undefined for one of which the scan tells nothing. */
const whereOneFails =
  (
    fails: (deployment: JsonObject, scannedAt: Date | undefined) => boolean | undefined,
    detail?: (deployment: JsonObject) => string | undefined,
  ) =>
  (results: Results, scannedAt: Date | undefined): Verdict => {
    const judged = deploymentsOf(results).map((deployment) => ({ deployment, fails: fails(deployment, scannedAt) }));
    if (!judged.some((one) => one.fails !== undefined)) return undefined;
    const bad = judged.find((one) => one.fails === true);
    const shown = leafOf((bad ?? judged[0])?.deployment ?? {});
    return {
      fails: bad !== undefined,
      detail: bad && detail?.(bad.deployment),
      evidence: { not_after: endOf(shown), subject: textAt(objectAt(shown, 'subject'), 'rfc4514_string') },
    };
  };

const flagOf = (member: string, when: boolean) => (deployment: JsonObject) =>
  typeof deployment[member] === 'boolean' ? deployment[member] === when : undefined;

/** Whether a store of trusted authorities did not accept it, in the words of release 3 to 6. */
function isRefused(result: JsonObject): boolean {
  if (typeof result['was_validation_successful'] === 'boolean') return !result['was_validation_successful'];
  return (
    textAt(result, 'openssl_error_string') !== undefined ||
    textAt(result, 'validation_error') !== undefined ||
    listAt(result, 'verified_certificate_chain').length === 0
  );
}

function hasShortKey(deployment: JsonObject): boolean | undefined {
  const key = objectAt(leafOf(deployment), 'public_key');
  const size = numberAt(key, 'key_size');
  if (size === undefined) return undefined;
  return (
    size < (/rsa|dsa/i.test(textAt(key, 'algorithm') ?? '') && !/ec/i.test(textAt(key, 'algorithm') ?? '') ? LEAST_RSA_BITS : LEAST_EC_BITS)
  );
}

export const CERTIFICATE_CHECKS: readonly TlsCheck[] = [
  {
    id: 'certificate-name-mismatch',
    title: 'The certificate is not for the name of the server',
    severity: 'high',
    guidance: 'Use a certificate that names the server.',
    cwe: 'CWE-297',
    judge: whereOneFails(flagOf('leaf_certificate_subject_matches_hostname', false)),
  },
  {
    id: 'certificate-untrusted',
    title: 'The certificate is trusted by none of the usual stores',
    severity: 'high',
    guidance: 'Use a certificate of a public authority, and send the whole chain.',
    cwe: 'CWE-295',
    judge: whereOneFails(
      (deployment) => {
        const results = objectsAt(deployment, 'path_validation_results');
        return results.length === 0 ? undefined : results.every(isRefused);
      },
      (deployment) =>
        objectsAt(deployment, 'path_validation_results')
          .map((result) => textAt(result, 'openssl_error_string') ?? textAt(result, 'validation_error'))
          .find((text) => text !== undefined),
    ),
  },
  {
    id: 'certificate-expired',
    title: 'The certificate has expired',
    severity: 'high',
    guidance: 'Renew the certificate.',
    cwe: 'CWE-298',
    judge: whereOneFails((deployment, scannedAt) => {
      const end = endOf(leafOf(deployment));
      const time = end === undefined ? undefined : toTime(end, 'Z');
      return time === undefined || scannedAt === undefined ? undefined : time < scannedAt;
    }),
  },
  {
    id: 'certificate-short-key',
    title: 'The key of the certificate is too short',
    severity: 'medium',
    guidance: 'Use RSA keys of 2048 bits or more, or elliptic curves.',
    cwe: 'CWE-326',
    judge: whereOneFails(hasShortKey),
  },
  {
    id: 'certificate-sha1',
    title: 'The chain of the certificate is signed with SHA-1',
    severity: 'medium',
    guidance: 'Have the certificate issued anew with SHA-256.',
    cwe: 'CWE-328',
    judge: whereOneFails(flagOf('verified_chain_has_sha1_signature', true)),
  },
  {
    id: 'certificate-chain-order',
    title: 'The chain of the certificate is sent in the wrong order',
    severity: 'low',
    guidance: 'Send the certificate of the server first, then each issuer.',
    cwe: 'CWE-296',
    judge: whereOneFails(flagOf('received_chain_has_valid_order', false)),
  },
];
