import type { Operation } from './document.js';

/** What a reader has filled in. */
export interface Filled {
  /** Values of parameters, by name; an empty one is not sent. */
  readonly values: Readonly<Record<string, string>>;
  readonly type: string | null;
  /** The body as text; a file is not in it. */
  readonly body: string | null;
}

/** A request, as it is sent and as snippets say it. */
export interface Call {
  readonly method: string;
  /** From the slash on. Path parameters that nobody filled in stay in their braces. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Who a call says it is: a key of a program, the session of a person, or nobody. */
export type Proof = 'api_key' | 'access_token' | null;

export function proofOf({ security = [] }: Operation): Proof {
  const names = security.flatMap((one) => Object.keys(one));
  return names.includes('api_key') ? 'api_key' : names.includes('access_token') ? 'access_token' : null;
}

/** Whether a call only reads. */
export const reads = ({ method }: { readonly method: string }): boolean => method === 'GET' || method === 'HEAD';

/** The request that an endpoint and what was filled in make. Lists of a query are separated by commas, as the API reads them. */
export function callOf(operation: Operation, { values, type, body }: Filled): Call {
  const given = operation.parameters.filter(({ name }) => (values[name] ?? '') !== '');
  const path = operation.path.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const value = values[name] ?? '';
    return value === '' ? whole : encodeURIComponent(value);
  });
  const query = given.filter((one) => one.in === 'query').map(({ name }) => [name, values[name]!]);
  const text = new URLSearchParams(query).toString().replaceAll('%2C', ',');
  const headers = Object.fromEntries(given.filter((one) => one.in === 'header').map(({ name }) => [name, values[name]!]));
  return {
    method: operation.method,
    path: text ? `${path}?${text}` : path,
    headers: { ...headers, ...(body !== null && type !== null && { 'Content-Type': type }) },
    body,
  };
}

/** What a form holds before anybody has touched it: no parameter, and the example of the body. */
export function emptyFor({ requestBody }: Operation): Filled {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (!first) return { values: {}, type: null, body: null };
  const [type, { example }] = first;
  return { values: {}, type, body: exampleText(example) };
}

/** An example as one would send it. */
export const exampleText = (example: unknown): string =>
  example === undefined ? '' : typeof example === 'string' ? example : JSON.stringify(example, null, 2);
