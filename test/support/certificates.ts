import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A key pair and a certificate over it that it has signed itself. */
export interface SelfSigned {
  readonly privateKey: KeyObject;
  readonly certificate: string;
}

const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const oid = (...arcs: number[]) => tlv(6, Buffer.from(arcs));
const time = (at: Date) => tlv(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, '')));

/** Makes an X.509 certificate (RFC 5280) with an RSA key of `bits`. */
export function selfSigned(options: { name?: string; bits?: number; days?: number } = {}): SelfSigned {
  const { name = 'idp.test', bits = 2_048, days = 30 } = options;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const algorithm = tlv(0x30, oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11), tlv(5));
  const subject = tlv(0x30, tlv(0x31, tlv(0x30, oid(0x55, 4, 3), tlv(0x0c, Buffer.from(name)))));
  const day = 86_400_000;
  const body = tlv(
    0x30,
    tlv(2, Buffer.from([1])),
    algorithm,
    subject,
    tlv(0x30, time(new Date(Date.now() - 90 * day)), time(new Date(Date.now() + days * day))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const der = tlv(0x30, body, algorithm, tlv(3, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/g)!;
  return { privateKey, certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n` };
}
