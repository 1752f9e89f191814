import type { SeenRequest } from '../../kit/read/seen-requests.js';

type Asked = Pick<SeenRequest, 'method' | 'path'>;

const ADDRESS = /^(?:[A-Z]+ )?([a-z]+:\/\/[^/]+)(\/.*)?$/i;

/** Where the address of an API or of an operation begins: of `GET https://api.example.com/v1/items` it is `https://api.example.com`. */
export const originOf = (uid: string): string | undefined => ADDRESS.exec(uid)?.[1];

const pathOf = (uid: string): string => ADDRESS.exec(uid)?.[2] ?? '/';
const methodOf = (uid: string): string => uid.split(' ', 1)[0]!;

/** The names that scanners have for an application: with its scheme, with the other one, or without any. */
export function originsOf(origin: string): string[] {
  const host = origin.replace(/^[a-z]+:\/\//i, '').toLowerCase();
  return host === '' ? [] : [host, `http://${host}`, `https://${host}`];
}

const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/');

/** Whether a segment fits: what stands in braces, and between the first and the last of them, is any text. */
function fits(text: string, template: string): boolean {
  const [from, to] = [template.indexOf('{'), template.lastIndexOf('}')];
  if (from < 0 || to < from) return text === template;
  const [head, tail] = [template.slice(0, from), template.slice(to + 1)];
  return text.length > head.length + tail.length && text.startsWith(head) && text.endsWith(tail);
}

/** Operations by the requests that are theirs: `GET https://api.example.com/items/{id}` is any item. */
export class Operations {
  /** By the number of their segments. */
  private readonly byLength = new Map<number, { method: string; segments: string[] }[]>();

  /** @param operations by their addresses, each with its method before it */
  constructor(operations: readonly string[]) {
    for (const operation of operations) {
      const segments = segmentsOf(pathOf(operation));
      const known = this.byLength.get(segments.length);
      const own = { method: methodOf(operation), segments };
      if (known === undefined) this.byLength.set(segments.length, [own]);
      else known.push(own);
    }
  }

  have({ method, path }: Asked): boolean {
    const asked = segmentsOf(path);
    return (this.byLength.get(asked.length) ?? []).some(
      (one) => (method === null || method === one.method) && one.segments.every((segment, n) => fits(asked[n]!, segment)),
    );
  }
}

/** Whether a request is one of an API, by the path that this begins with. */
export function isBelow({ path }: Asked, api: string): boolean {
  const base = pathOf(api).replace(/\/$/, '');
  return path === base || path.startsWith(`${base}/`);
}
