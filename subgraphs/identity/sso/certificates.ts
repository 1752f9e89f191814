import { X509Certificate } from 'node:crypto';

const LEAST_BITS = 2048;
const ARMOR = /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/**
 * A certificate as an administrator pastes it: PEM, or the bare base64 of a provider's metadata.
 * @param present those that are set, as this function has made them: they may have expired since, and are good for signing in all the same
 * @returns PEM; or why it cannot be trusted with RSA-SHA256 signatures
 */
export function readCertificate(text: string, now: Date, present: readonly string[]): { pem: string } | { problem: string } {
  const body = ARMOR.exec(text)?.[1] ?? (BASE64.test(text) ? text : null);
  if (body === null) return { problem: 'must be one certificate, as PEM' };
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(Buffer.from(body, 'base64'));
  } catch {
    return { problem: 'is not a certificate that can be read' };
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa') return { problem: 'must hold an RSA key: signatures are RSA-SHA256' };
  if ((asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS) return { problem: `must hold an RSA key of at least ${LEAST_BITS} bits` };
  const pem = certificate.toString();
  if (new Date(certificate.validTo) <= now && !present.includes(pem)) return { problem: 'has expired' };
  return { pem };
}

/** What an administrator sees of a certificate. @param pem as `readCertificate` has made it */
export function describeCertificate(pem: string) {
  const { fingerprint256, subject, validTo } = new X509Certificate(pem);
  return { fingerprint: fingerprint256, subject: subject.split('\n').join(', '), expires_at: new Date(validTo), pem };
}
