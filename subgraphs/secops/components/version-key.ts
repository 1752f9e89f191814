/** Ecosystems of distributions of Linux, whose versions go by dpkg's order. */
const DISTRIBUTIONS = new Set(['deb', 'rpm', 'apk', 'alpm']);
/** Ecosystems in which all that stands behind a `-` comes before the release (Semantic Versioning 2.0, 11). */
const SEMANTIC = new Set(['npm', 'cargo', 'golang', 'nuget', 'hex', 'pub', 'swift', 'github', 'githubactions']);
/** Words for versions before a release, in their order. */
const BEFORE = ['dev', 'a', 'alpha', 'b', 'beta', 'm', 'milestone', 'c', 'rc', 'cr', 'pre', 'preview', 'snapshot'];
const SAME: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone', c: 'rc', cr: 'rc', pre: 'rc', preview: 'rc' };
/** Words that say no more than that it is the release. */
const RELEASE = new Set(['final', 'ga', 'release']);
const LONGEST = 120;

/** How versions of an ecosystem are ordered. */
export type VersionOrder = 's' | 'd';
export const orderOf = (ecosystem: string | null | undefined): VersionOrder => (DISTRIBUTIONS.has(ecosystem ?? '') ? 'd' : 's');

/**
 * A text by which versions of one package sort as their ecosystem orders them, so that an index answers for ranges; it begins with the order. It is
 * exact for versions of numbers, and right for the suffixes that ecosystems have in common; who must judge each version by the ecosystem's own rules compares
 * `version` itself. Empty for no version.
 */
export function versionKey(version: string | null | undefined, ecosystem: string | null | undefined, order = orderOf(ecosystem)): string {
  const text = version?.trim().slice(0, LONGEST);
  if (text === undefined || text === '') return '';
  return order === 'd' ? `d${distributionKey(text)}` : `s${semanticKey(text.toLowerCase(), ecosystem)}`;
}

/** A number as text that sorts as it does: how long it is, then its digits. */
function ofNumber(digits: string): string {
  const plain = digits.replace(/^0+(?=.)/, '').slice(0, 25);
  return plain === '0' ? 'a' : `${String.fromCharCode(97 + plain.length)}${plain}`;
}

/** Epoch, numbers without zeros at the end, then what comes before the release (0), the release (1), or what comes behind it (2). */
function semanticKey(version: string, ecosystem: string | null | undefined): string {
  const [, epoch = '0', rest = ''] = /^(?:(\d+)!)?v?(.*)$/s.exec(version) ?? [];
  const [main = ''] = rest.split('+');
  const [, numbers = '', suffix = ''] = /^(\d+(?:\.\d+)*)?(.*)$/s.exec(main) ?? [];
  const release = numbers === '' ? [] : numbers.split('.').map(ofNumber);
  while (release.at(-1) === 'a') release.pop();
  const tokens = (suffix.match(/\d+|[a-z]+/g) ?? []).filter((token) => !RELEASE.has(token));
  const key = `${ofNumber(epoch)}${release.join('')}`;
  const [first] = tokens;
  if (first === undefined) return `${key}1`;
  const isBefore = (suffix.startsWith('-') && SEMANTIC.has(ecosystem ?? '')) || BEFORE.includes(first);
  return `${key}${isBefore ? '0' : '2'}${tokens.map(ofToken).join('')} `;
}

/** Numbers come before words, words by their rank, and unknown ones by the alphabet. */
function ofToken(token: string): string {
  if (/^\d/.test(token)) return ofNumber(token);
  const rank = BEFORE.indexOf(SAME[token] ?? token);
  return rank >= 0 ? `~${String.fromCharCode(65 + rank)}` : `~z${token}.`;
}

/** As dpkg compares: texts and numbers by turns; a tilde comes before the end, letters before all else. @see deb-version(7) */
function distributionKey(version: string): string {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(version) ?? [];
  const plain = rest.replace(/_(?=alpha|beta|pre|rc)/g, '~');
  const cut = plain.lastIndexOf('-');
  const [upstream, revision] = cut === -1 ? [plain, ''] : [plain.slice(0, cut), plain.slice(cut + 1)];
  return `${ofNumber(epoch)}${partsKey(upstream)}${partsKey(revision)}`;
}

function partsKey(text: string): string {
  const parts = [...text.matchAll(/(\D*)(\d*)/g)].filter(([whole]) => whole !== '');
  const key = parts.map(([, letters = '', digits = '']) => {
    const encoded = [...letters].map((letter) => (letter === '~' ? '!' : /[a-z]/i.test(letter) ? letter : `{${letter}`)).join('');
    return `${encoded}"${ofNumber(digits === '' ? '0' : digits)}`;
  });
  return `${key.join('')}"`;
}

/** One end of a range of versions. */
interface Bound {
  readonly operator: '$gt' | '$gte' | '$lt' | '$lte' | '$eq';
  readonly version: string;
}
const OPERATORS: Readonly<Record<string, Bound['operator']>> = {
  '>': '$gt',
  '>=': '$gte',
  '<': '$lt',
  '<=': '$lte',
  '=': '$eq',
  '==': '$eq',
  '': '$eq',
};

/** The bounds of a range such as `>=1.0 <2.0`, all of which must hold; null for what is none. */
export function parseRange(range: string): Bound[] | null {
  const parts = range
    .trim()
    .replace(/([<>=])\s+/g, '$1')
    .split(/[\s,]+/);
  const bounds = parts.map((part): Bound | null => {
    const [, operator = '', version] = /^(>=|<=|==|>|<|=)?([0-9a-z][\w.+~:!-]*)$/i.exec(part) ?? [];
    // two versions at a time nothing can have
    return version === undefined || (operator === '' && parts.length > 1) ? null : { operator: OPERATORS[operator]!, version };
  });
  return bounds.length > 10 || bounds.some((bound) => bound === null) ? null : (bounds as Bound[]);
}

/** The condition for versions in a range, by an order; of an ecosystem where that is known. */
export function rangeCondition(bounds: readonly Bound[], order: VersionOrder, ecosystem?: string): Record<string, unknown> {
  const conditions = bounds.map(({ operator, version }) => ({ version_key: { [operator]: versionKey(version, ecosystem, order) } }));
  return { $and: [{ version_key: { $gt: order, $lt: `${order}~` } }, ...conditions] };
}
