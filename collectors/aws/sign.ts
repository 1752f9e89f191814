import { createHash, createHmac } from 'node:crypto';

/** A key of AWS; one of a role has a token. */
export interface AwsKey {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
}

/** A call as it is signed. The path holds nothing that has to be encoded. */
export interface AwsCall {
  readonly service: string;
  readonly region: string;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** Headers with the signature of a call (AWS Signature Version 4). @param now when it is made; AWS takes it for five minutes */
export function sign({ service, region, method, url, headers, body }: AwsCall, key: AwsKey, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const digest = sha256(body);
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-date': time,
    'x-amz-content-sha256': digest,
    ...(key.session_token && { 'x-amz-security-token': key.session_token }),
  };
  const names = Object.keys(signed).sort();
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const lines = names.map((name) => `${name}:${signed[name]!.trim()}\n`).join('');
  const canonical = [method, url.pathname, query.join('&'), lines, names.join(';'), digest].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const secret = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (from, part) => hmac(from, part),
    `AWS4${key.secret_access_key}`,
  );
  const signature = hmac(secret, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  return {
    ...signed,
    authorization: `AWS4-HMAC-SHA256 Credential=${key.access_key_id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
