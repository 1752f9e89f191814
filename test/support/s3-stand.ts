import { createHash, createHmac } from 'node:crypto';
import { startStandIn, type StandInRequest } from './stand-in.js';

export const S3_KEY = { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret of the bucket' };

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const encoded = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** Whether a request is signed with the key, as AWS Signature Version 4 has it for S3 (Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header"). */
function isSigned({ method, url, headers: given, body }: StandInRequest): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/((\d{8})\/([^/]+)\/s3\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, scope, day, region, names, signature] = form.exec(given.authorization ?? '') ?? [];
  const header = (name: string) => String(given[name] ?? '').trim();
  const digest = header('x-amz-content-sha256');
  if (id !== S3_KEY.access_key_id || (digest !== 'UNSIGNED-PAYLOAD' && digest !== sha256(body))) return false;
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names!.split(';').includes(name))) return false;
  const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const headers = names!.split(';').map((name) => `${name}:${header(name)}\n`);
  const canonical = [method, url.pathname, query.join('&'), headers.join(''), names, digest].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', header('x-amz-date'), scope, sha256(canonical)].join('\n');
  const key = [day!, region!, 's3', 'aws4_request'].reduce<string | Buffer>(
    (key, part) => hmac(key, part),
    `AWS4${S3_KEY.secret_access_key}`,
  );
  return hmac(key, toSign).toString('hex') === signature;
}

/** A bucket that takes files whose requests are signed with `S3_KEY`, and nothing else. `fails` is answered in place of what it would, once `before` is done. */
export async function startS3(bucket: string) {
  const files = new Map<string, string>();
  const state: { fails: number | null; before: (() => Promise<unknown>) | null } = { fails: null, before: null };
  const refuse = (status: number, code: string) => ({ status, body: `<Error><Code>${code}</Code><Message>No.</Message></Error>` });
  const answer = (request: StandInRequest) => {
    if (state.fails !== null) return refuse(state.fails, 'ServiceUnavailable');
    if (!isSigned(request)) return refuse(403, 'SignatureDoesNotMatch');
    const [, named, ...key] = request.url.pathname.split('/');
    if (named !== bucket) return refuse(404, 'NoSuchBucket');
    if (request.method !== 'PUT') return refuse(405, 'MethodNotAllowed');
    files.set(key.join('/'), request.body);
    return { status: 200, body: '' };
  };
  const stand = await startStandIn(async (request, response) => {
    await state.before?.();
    const { status, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  });
  return Object.assign(state, { files, url: stand.url, close: () => stand.close() });
}

export const s3Input = (url: string, more: { settings?: object; credentials?: object } = {}) => ({
  kind: 's3',
  name: 'Bucket',
  settings: { url, region: 'eu-central-1', bucket: 'findings', prefix: 'palisade/acme', path_style: true, ...more.settings },
  credentials: { ...S3_KEY, ...more.credentials },
});
