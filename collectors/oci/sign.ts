import { createHash, sign, type KeyObject } from 'node:crypto';
import type { Sent } from '../rest-client.js';

/** Who signs: `<tenancy>/<user>/<fingerprint>`, with the key of that fingerprint. */
export interface OciSigner {
  readonly keyId: string;
  readonly key: KeyObject;
}

/** Headers that are signed, in their order; those of the body where there is one. */
const ALWAYS = ['date', '(request-target)', 'host'] as const;
const OF_BODY = ['content-length', 'content-type', 'x-content-sha256'] as const;

/**
 * The headers of a call with its signature, version 1 of Oracle Cloud Infrastructure: RSA-SHA256 over the named headers, a line each
 * (draft-cavage-http-signatures-08). @param now goes into `date`, of which Oracle takes five minutes of difference
 */
export function signedHeaders({ keyId, key }: OciSigner, { url, method, body, contentType }: Sent, now: Date): Record<string, string> {
  const own = { date: now.toUTCString(), host: url.host };
  const ofBody: Record<string, string> =
    body === undefined
      ? {}
      : {
          'content-length': String(Buffer.byteLength(body)),
          'content-type': contentType ?? 'application/json',
          'x-content-sha256': createHash('sha256').update(body).digest('base64'),
        };
  const values: Record<string, string> = { ...own, ...ofBody, '(request-target)': `${method.toLowerCase()} ${url.pathname}${url.search}` };
  const names = body === undefined ? ALWAYS : [...ALWAYS, ...OF_BODY];
  const text = names.map((name) => `${name}: ${values[name]}`).join('\n');
  const signature = sign('RSA-SHA256', Buffer.from(text), key).toString('base64');
  return {
    date: own.date,
    ...(body !== undefined && { 'x-content-sha256': ofBody['x-content-sha256']! }),
    authorization: `Signature version="1",headers="${names.join(' ')}",keyId="${keyId}",algorithm="rsa-sha256",signature="${signature}"`,
  };
}
