import { member, objectAt, objectsAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';

const LOCAL = /^[a-z]+:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/i;

/** Whether an address is of the machine itself, where developers try things. */
export const isLocal = (address: string): boolean => LOCAL.test(address);

/** The addresses under which an API answers, without a slash at their end; none where its description names only paths. */
export function addressesOf(document: JsonObject, isSwagger: boolean): string[] {
  const all = isSwagger ? swaggerAddresses(document) : objectsAt(document, 'servers').flatMap(serverAddress);
  return [...new Set(all.map((address) => address.trim().replace(/\/+$/, '')))].filter((address) => /^[a-z]+:\/\/[^/]/i.test(address));
}

/** An API by its first address that is no developer's, else by what it is called. */
export const baseOf = (addresses: readonly string[], name: string): string =>
  plainAddress(addresses.find((address) => !isLocal(address)) ?? addresses[0]) ?? name;

function swaggerAddresses(document: JsonObject): string[] {
  const host = textAt(document, 'host');
  if (host === undefined) return [];
  const schemes = textsAt(document, 'schemes');
  return (schemes.length === 0 ? ['https'] : schemes).map((scheme) => `${scheme}://${host}${textAt(document, 'basePath') ?? ''}`);
}

/** The address of a server with the values that its variables have where nobody says otherwise. */
function serverAddress(server: JsonObject): string[] {
  const url = textAt(server, 'url');
  const variables = objectAt(server, 'variables');
  return url === undefined ? [] : [url.replace(/\{(\w+)\}/g, (whole, name: string) => defaultOf(objectAt(variables, name)) ?? whole)];
}

function defaultOf(variable: JsonObject | undefined): string | undefined {
  const value = member(variable, 'default');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Without who asks, and without a query. */
const plainAddress = (address: string | undefined): string | undefined =>
  address
    ?.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1')
    .replace(/[?#].*$/, '')
    .replace(/^[a-z]+:\/\/[^/]+/i, (origin) => origin.toLowerCase())
    .replace(/\/+$/, '');

/** Host and path of an API, as far as its base is an address. */
export function partsOf(base: string): { host: string | undefined; path: string } {
  const [, host, path] = /^[a-z]+:\/\/([^/]+)(\/.*)?$/i.exec(base) ?? [];
  return { host, path: path ?? '' };
}
