import { X509Certificate, type KeyObject } from 'node:crypto';
import { versionNumber } from './end-of-life.js';
import { statementsOf } from './cel/policy.js';
import { readImageName } from './image-name.js';
import { readImageProduct, readOperatingSystem, readRuntime } from './technology-names.js';

/** What a key or a certificate says of its cryptography. */
interface Cryptography {
  algorithm?: string;
  bits?: number;
}

const digits = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};

/** The algorithm and size that a provider's key spec names: `RSA_2048`, `EC_SIGN_P256_SHA256`, `ECC_NIST_P384`, `Aliyun_AES_256`. */
export function readKeySpec(spec: string): Cryptography {
  const text = spec.toUpperCase();
  if (/TDES|3DES|DES_EDE/.test(text)) return { algorithm: '3des' };
  if (/(?:ML|SLH)[-_]DSA/.test(text)) return { algorithm: text.includes('SLH') ? 'slh-dsa' : 'ml-dsa' };
  if (text.includes('RSA')) return { algorithm: 'rsa', bits: digits(text, /(\d{3,5})/) };
  if (text.includes('ED25519')) return { algorithm: 'ed25519', bits: 256 };
  if (text.includes('SM2')) return { algorithm: 'sm2', bits: 256 };
  if (text.includes('SM4')) return { algorithm: 'sm4', bits: 128 };
  if (/EC|^P-?\d{3}/.test(text)) return { algorithm: 'ec', bits: digits(text, /(?:P-?|PRIME|SECP|EC_?|ECDSA_?)(\d{3})/) };
  if (text.includes('HMAC')) return { algorithm: 'hmac', bits: digits(text, /(\d{3})/) };
  // the symmetric keys that AWS and Google Cloud give when nothing else is asked for are AES-256
  if (text.includes('SYMMETRIC')) return { algorithm: 'aes', bits: 256 };
  if (text.includes('AES')) return { algorithm: 'aes', bits: digits(text, /(\d{3})/) };
  if (text.includes('DSA')) return { algorithm: 'dsa', bits: digits(text, /(\d{4})/) };
  return {};
}

const CURVE_BITS: Readonly<Record<string, number>> = { prime256v1: 256, secp256k1: 256, secp384r1: 384, secp521r1: 521, secp224r1: 224 };

function ofPublicKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Cryptography {
  const { modulusLength, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType?.startsWith('rsa')) return { algorithm: 'rsa', bits: modulusLength };
  if (asymmetricKeyType === 'ec') return { algorithm: 'ec', bits: CURVE_BITS[namedCurve] };
  if (asymmetricKeyType === 'ed25519') return { algorithm: 'ed25519', bits: 256 };
  return asymmetricKeyType === 'dsa' ? { algorithm: 'dsa', bits: modulusLength } : {};
}

let latest: { pem: string; certificate: X509Certificate } | undefined;

/** The first certificate of a PEM text; several fields of one resource are read from it. @throws when it holds none */
function certificateOf(pem: string): X509Certificate {
  if (latest?.pem !== pem) latest = { pem, certificate: new X509Certificate(pem) };
  return latest.certificate;
}

/** The algorithm and size of an OpenSSH public key (RFC 4253, RFC 5656): its name and, of RSA and DSA, the length of the modulus. */
export function readSshKey(line: string): Cryptography {
  const [, name = '', encoded = ''] = /^\s*(ssh-\S+|ecdsa-\S+|sk-\S+)\s+([A-Za-z0-9+/=]+)/.exec(line) ?? [];
  if (name === 'ssh-ed25519' || name.startsWith('sk-ssh-ed25519')) return { algorithm: 'ed25519', bits: 256 };
  const curve = digits(name, /ecdsa-sha2-nistp(\d{3})/);
  if (curve !== undefined) return { algorithm: 'ec', bits: curve };
  const algorithm = name === 'ssh-rsa' ? 'rsa' : name === 'ssh-dss' ? 'dsa' : undefined;
  if (algorithm === undefined) return {};
  const bytes = Buffer.from(encoded, 'base64');
  const parts: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length && parts.length < 3;) {
    const length = bytes.readUInt32BE(at);
    parts.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  // name, exponent, modulus of RSA; name, modulus of DSA
  const modulus = parts[algorithm === 'rsa' ? 2 : 1];
  return { algorithm, bits: modulus && modulus.length > 1 ? (modulus[0] === 0 ? modulus.length - 1 : modulus.length) * 8 : undefined };
}

const DAYS = { Y: 365, M: 30, W: 7, D: 1 } as const;

/** Days of a length of time: `7776000s`, `2160h`, `90d`, or ISO 8601 (`P90D`, `P2Y`: a year is 365 days, a month 30). */
export function readDays(text: string): number | undefined {
  const plain = /^(\d+(?:\.\d+)?)(s|h|d)$/.exec(text);
  if (plain) return Math.floor(Number(plain[1]) / { s: 86_400, h: 24, d: 1 }[plain[2] as 's' | 'h' | 'd']);
  const iso = /^P(?=.)(?:\d+[YMWD])*(?:T.*)?$/.test(text) ? [...text.split('T')[0]!.matchAll(/(\d+)([YMWD])/g)] : [];
  return iso.length === 0 ? undefined : iso.reduce((sum, [, count, unit]) => sum + Number(count) * DAYS[unit as keyof typeof DAYS], 0);
}

/** What the names of a database product have in them, in any case; the first that fits counts. */
const DATABASE_PRODUCTS: readonly (readonly [RegExp, string])[] = [
  [/postgres|^pg$/, 'postgres'],
  [/mariadb/, 'mariadb'],
  [/mysql|^aurora$/, 'mysql'],
  [/sql-?server|mssql/, 'sqlserver'],
  [/oracle/, 'oracle'],
  [/db2/, 'db2'],
  [/docdb/, 'documentdb'],
  [/mongo/, 'mongodb'],
  [/valkey/, 'valkey'],
  [/redis/, 'redis'],
  [/memcache/, 'memcached'],
  [/cassandra/, 'cassandra'],
  [/elasticsearch/, 'elasticsearch'],
];

/** One name for a database product that providers spell their own way: `postgres` of `aurora-postgresql`, `POSTGRES_15`, `databases-for-postgresql`. */
export function readDatabaseProduct(text: string): string {
  const name = text.toLowerCase();
  return DATABASE_PRODUCTS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
}

/** Images whose names are those of databases and runtimes, and not of what goes with these. */
const DATABASE_IMAGE = /^(?:postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|valkey|memcached|cassandra|elasticsearch)$/;
const RUNTIME_IMAGE = /^(?:node|python|golang|php|ruby|openjdk)$/;

/** The product that an image is of, by the one name that it has elsewhere. */
function imageProduct(image: string): string | undefined {
  const product = readImageProduct(image)?.product ?? '';
  if (DATABASE_IMAGE.test(product)) return readDatabaseProduct(product);
  return (RUNTIME_IMAGE.test(product) ? readRuntime(`${product} `)?.product : product) || undefined;
}

/** The principals that the statements of a trust policy allow, as `AWS:arn…` or `not AWS:arn…`; undefined when one of them is not known. */
export function readPrincipals(policy: string): string | undefined {
  const allowed = statementsOf(policy)
    .filter(({ effect }) => effect === 'Allow')
    .flatMap(({ principals, not_principals }) => [...principals, ...not_principals.map((name) => name && `not ${name}`)]);
  return allowed.includes(undefined) ? undefined : [...new Set(allowed)].join(', ');
}

/**
 * How the text of an attribute is read into a field of a facet (`as:` in its files). What cannot be read gives undefined or throws; either
 * leaves the field null. None gives secret material: of a certificate or key they give its dates, algorithm and size.
 */
export const READINGS: Readonly<Record<string, (text: string) => string | number | Date | undefined>> = {
  'key_spec.algorithm': (text) => readKeySpec(text).algorithm,
  'key_spec.bits': (text) => readKeySpec(text).bits,
  'ssh_key.algorithm': (text) => readSshKey(text).algorithm,
  'ssh_key.bits': (text) => readSshKey(text).bits,
  'certificate.algorithm': (text) => ofPublicKey(certificateOf(text).publicKey).algorithm,
  'certificate.bits': (text) => ofPublicKey(certificateOf(text).publicKey).bits,
  'certificate.expires_at': (text) => new Date(certificateOf(text).validTo),
  'certificate.domain': (text) => /^CN=(.+)$/m.exec(certificateOf(text).subject)?.[1],
  'database.product': readDatabaseProduct,
  'runtime.product': (text) => readRuntime(text)?.product,
  'runtime.version': (text) => readRuntime(text)?.version,
  'system.product': (text) => readOperatingSystem(text)?.product,
  'system.version': (text) => readOperatingSystem(text)?.version,
  'image.product': imageProduct,
  'image.version': (text) => readImageProduct(text)?.version,
  'image.registry': (text) => readImageName(text).registry ?? undefined,
  'image.repository': (text) => readImageName(text).repository ?? undefined,
  'image.digest': (text) => readImageName(text).digest ?? undefined,
  version: versionNumber,
  'policy.principals': readPrincipals,
  days: readDays,
  'url.host': (text) => new URL(text).hostname || undefined,
  // a route as AWS writes it: `GET /carts/{id}`
  'route.method': (text) => /^([A-Z]+) /.exec(text)?.[1],
  'route.path': (text) => /^[A-Z]+ (.+)$/.exec(text)?.[1],
  microseconds: (text) => (/^\d+$/.test(text) ? new Date(Number(text) / 1_000) : undefined),
};
