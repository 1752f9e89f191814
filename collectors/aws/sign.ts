import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

/** A key of AWS; one of a role has a token. */
export interface AwsKey {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
}

/** A call as it is signed. */
export interface AwsCall {
  readonly service: string;
  readonly region: string;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers with the signature of a call (AWS Signature Version 4). @param now when it is made; AWS takes it for five minutes */
export async function sign(
  { service, region, method, url, headers, body }: AwsCall,
  key: AwsKey,
  now: Date,
): Promise<Record<string, string>> {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = key;
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  // paths of S3 are names of objects, which are encoded once
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath: service !== 's3' });
  const place = { protocol: url.protocol, hostname: url.host, path: url.pathname, query: Object.fromEntries(url.searchParams) };
  const signed = await signer.sign({ ...place, method, headers: { ...headers, host: url.host }, body }, { signingDate: now });
  return signed.headers;
}
