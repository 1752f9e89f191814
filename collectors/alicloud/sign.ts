import { createHash, createHmac } from 'node:crypto';
import type { Sent } from '../rest-client.js';

/** An AccessKey. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
/** As RFC 3986 has it, which escapes more signs than `encodeURIComponent`. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
/** A query in the order of its escaped names. @param separator what stands between a name and a value that is empty */
const sorted = (query: Iterable<readonly [string, string]>, separator: '=' | ''): string =>
  [...query]
    .map(([name, value]) => [escaped(name), escaped(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (value === '' ? `${name}${separator}` : `${name}=${value}`))
    .join('&');
const lines = (headers: Readonly<Record<string, string>>, names: readonly string[]): string =>
  names.map((name) => `${name}:${headers[name]!.trim()}\n`).join('');

/** What goes into a signature beside what is sent. */
export interface AcsCall {
  readonly action: string;
  readonly version: string;
  readonly now: Date;
  /** Never the same twice. */
  readonly nonce: string;
}

/** The headers of a call of Alibaba Cloud's OpenAPI with its signature, version 3 (ACS3-HMAC-SHA256). */
export function acsHeaders(
  key: AccessKey,
  { url, method, body = '' }: Sent,
  { action, version, now, nonce }: AcsCall,
): Record<string, string> {
  const headers: Record<string, string> = {
    host: url.host,
    'x-acs-action': action,
    'x-acs-content-sha256': digest(body),
    'x-acs-date': now.toISOString().replace(/\.\d+Z$/, 'Z'),
    'x-acs-signature-nonce': nonce,
    'x-acs-version': version,
  };
  const names = Object.keys(headers).sort();
  const request = [
    ...[method, url.pathname, sorted(url.searchParams, '=')],
    ...[lines(headers, names), names.join(';'), headers['x-acs-content-sha256']!],
  ].join('\n');
  const signature = hmac(key.secret, `ACS3-HMAC-SHA256\n${digest(request)}`).toString('hex');
  const { host: _host, ...sent } = headers;
  return { ...sent, authorization: `ACS3-HMAC-SHA256 Credential=${key.id},SignedHeaders=${names.join(';')},Signature=${signature}` };
}

/** A call of the object storage, as it is signed. */
export interface OssCall {
  readonly method: string;
  /** With the bucket, also where that stands in the host: `/bucket/`. */
  readonly resource: string;
  readonly query: Iterable<readonly [string, string]>;
  /** In small letters; those of the service and the type of the content are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly region: string;
}

/** The header that a call of the object storage is authorized by, version 4 (OSS4-HMAC-SHA256). It has `x-oss-date` and `x-oss-content-sha256`. */
export function ossAuthorization(key: AccessKey, { method, resource, query, headers, region }: OssCall): string {
  const names = Object.keys(headers)
    .filter((name) => name.startsWith('x-oss-') || name === 'content-type' || name === 'content-md5')
    .sort();
  const date = headers['x-oss-date'] ?? '';
  const day = date.slice(0, 8);
  const path = resource.split('/').map(escaped).join('/');
  const request = [method, path, sorted(query, ''), lines(headers, names), '', headers['x-oss-content-sha256'] ?? ''].join('\n');
  const scope = `${day}/${region}/oss/aliyun_v4_request`;
  const signing = [day, region, 'oss', 'aliyun_v4_request'].reduce<string | Buffer>(
    (inner, text) => hmac(inner, text),
    `aliyun_v4${key.secret}`,
  );
  const signature = hmac(signing, `OSS4-HMAC-SHA256\n${date}\n${scope}\n${digest(request)}`).toString('hex');
  return `OSS4-HMAC-SHA256 Credential=${key.id}/${scope},Signature=${signature}`;
}

const OSS = /^(?:([a-z0-9-]+)\.)?oss-([a-z0-9-]+)\.aliyuncs\.com$/;

/** Whether a host is one of the object storage. */
export const isOss = (host: string): boolean => OSS.test(host);

/** The headers of a call of the object storage. @param host as the provider names it: its bucket and its region are signed */
export function ossHeaders(key: AccessKey, host: string, { url, method }: Sent, now: Date): Record<string, string> {
  const [, bucket, region = ''] = OSS.exec(host) ?? [];
  const headers = {
    'x-oss-content-sha256': 'UNSIGNED-PAYLOAD',
    'x-oss-date': now.toISOString().replaceAll(/[-:]|\.\d+/g, ''),
  };
  const resource = bucket === undefined ? '/' : `/${bucket}/`;
  return { ...headers, authorization: ossAuthorization(key, { method, resource, query: url.searchParams, headers, region }) };
}
