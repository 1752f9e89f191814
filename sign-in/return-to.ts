/** What the documentation says of the member `return_to`. */
export const RETURN_TO = 'Path of this origin to go to afterwards.';

/**
 * Where a browser goes after signing in: a path of this origin. Anything else, such as `//host`, `/\\host`, `/..//host` or another scheme, is `/`.
 */
export function safeReturnTo(asked: string | undefined | null): string {
  const FALLBACK = '/';
  if (!asked || asked.length > 2_000 || !asked.startsWith('/') || /[^!-~]|\\/.test(asked)) return FALLBACK;
  const base = 'https://palisade.invalid';
  const url = URL.parse(asked, base);
  if (!url || url.origin !== base || url.pathname.startsWith('//')) return FALLBACK;
  return `${url.pathname}${url.search}${url.hash}`;
}
