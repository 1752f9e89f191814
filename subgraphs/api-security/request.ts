import type { SeenRequest } from '../../kit/read/seen-requests.js';

const ADDRESS = /^(?:[A-Z]+ )?([a-z]+:\/\/[^/]+)(\/.*)?$/i;

/** Where the address of an API or of an operation begins: of `GET https://api.example.com/v1/items` it is `https://api.example.com`. */
export const originOf = (uid: string): string | undefined => ADDRESS.exec(uid)?.[1];

const pathOf = (uid: string): string => ADDRESS.exec(uid)?.[2] ?? '/';

/** The names that scanners have for an application: with its scheme, with the other one, or without any. */
export function originsOf(origin: string): string[] {
  const host = origin.replace(/^[a-z]+:\/\//i, '').toLowerCase();
  return host === '' ? [] : [host, `http://${host}`, `https://${host}`];
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a request is one of an operation: `GET https://api.example.com/items/{id}` is any item. */
export function isAsked({ method, path }: Pick<SeenRequest, 'method' | 'path'>, operation: string): boolean {
  const [named = ''] = operation.split(' ', 1);
  if (method !== null && method !== named) return false;
  const template = pathOf(operation).split(/\{[^}/]*\}/);
  return new RegExp(`^${template.map(escaped).join('[^/]+')}/?$`).test(path);
}

/** Whether a request is one of an API, by the path that this begins with. */
export function isBelow({ path }: Pick<SeenRequest, 'path'>, api: string): boolean {
  const base = pathOf(api).replace(/\/$/, '');
  return path === base || path.startsWith(`${base}/`);
}
