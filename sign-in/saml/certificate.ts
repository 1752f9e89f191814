import { createHash, createPublicKey, sign, type KeyObject } from 'node:crypto';

const NAME = 'Palisade SAML service provider';
/** Years that a certificate says it is good for. Providers look at the key, and rotation ends it; the date only has to be past that. */
const YEARS = 10;

/** A value of DER (ITU-T X.690): tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = Buffer.from(content.length.toString(16).padStart(content.length > 255 ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const SHA256_WITH_RSA = sequence(Buffer.from('06092a864886f70d01010b', 'hex'), Buffer.from('0500', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/** Years to 2049 have two digits (RFC 5280, 4.1.2.5). */
function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return at.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

/**
 * The X.509 certificate (RFC 5280) over an RSA key, signed by itself: what identity providers take a key in. The same key and time give the
 * same bytes.
 * @returns base64 of the DER, as SAML metadata holds it
 */
export function certificateOf(privateKey: KeyObject, created_at: Date): string {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  // positive, and never zero
  const serial = Buffer.concat([Buffer.from([0x01]), createHash('sha256').update(publicKey).digest().subarray(0, 15)]);
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(NAME)))));
  const ends = new Date(created_at);
  ends.setUTCFullYear(ends.getUTCFullYear() + YEARS);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    SHA256_WITH_RSA,
    name,
    sequence(time(created_at), time(ends)),
    name,
    publicKey,
  );
  const signature = sign('sha256', body, privateKey);
  return sequence(body, SHA256_WITH_RSA, der(0x03, Buffer.from([0]), signature)).toString('base64');
}
