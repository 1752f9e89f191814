/** Characters of a title; longer ones are cut to their first sentence. */
export const MAX_TITLE = 160;

/** The first sentence of a message, for tools whose rules have no title: one line, without markup, at most 160 characters. */
export function firstSentence(message: string): string {
  const line = message
    .replace(/\[([^\]]{1,200})\]\([^)]{1,500}\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  const end = /[.!?](?=\s+[A-Z'"`(]|\s*$)/.exec(line);
  const sentence = end === null ? line : line.slice(0, end.index);
  return sentence.length > MAX_TITLE ? `${sentence.slice(0, MAX_TITLE - 1).trimEnd()}…` : sentence;
}

const SHORT = new Set(['cpu', 'tls', 'rbac', 'api', 'pdb']);

/** The words of a name in camel case, short forms in capitals: `hostIPCSet` is `Host IPC set`, `cpuLimitsMissing` is `CPU limits missing`. */
export function wordsOfCamelCase(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_-]+/);
  const plain = words.map((word) => (SHORT.has(word.toLowerCase()) || /^[A-Z]{2,}$/.test(word) ? word.toUpperCase() : word.toLowerCase()));
  return wordsOf(plain.join(' '));
}

/** The words of an identifier: `hardcoded_password_string` is `Hardcoded password string`. */
export function wordsOf(identifier: string): string {
  const words = identifier.replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
