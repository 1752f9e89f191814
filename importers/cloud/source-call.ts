/** Which call an answer was given to, and what the call was about. */
export interface SourceCall {
  service: string;
  /** `get-bucket-policy`. */
  call: string;
  /** The names in the call: as they are (`exact`), or with a `_` for each sign that is no letter or digit. */
  subjects: readonly string[];
  exact: boolean;
}

/** A name with a `_` for each sign that is no letter or digit, as file names write it. */
export const asFileName = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '_');

const kebab = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

/**
 * Reads where a recorded answer comes from: a command (`aws s3api get-bucket-policy --bucket ledger`), an operation (`s3:GetBucketPolicy`,
 * `s3.get_bucket_policy`), or a file (`aws/s3/get-bucket-policy__ledger.json`). Undefined where it names no call.
 */
export function readSourceCall(source: string): SourceCall | undefined {
  const words = source.trim().split(/\s+/);
  if (/(?:^|\/)aws$/.test(words[0] ?? '') && words.length > 2) return ofCommand(words.slice(1));
  const operation = /^(?:aws[:./])?([a-z0-9-]+)[:.]([A-Za-z_]+)$/.exec(source);
  if (operation && !/\.(?:json|ya?ml)$/.test(source))
    return { service: operation[1]!, call: kebab(operation[2]!), subjects: [], exact: true };
  const [folder = '', file = ''] = source.split('/').slice(-2);
  const [name = '', ...subjects] = file.replace(/\.json$/, '').split('__');
  if (!/^[A-Za-z][\w-]*$/.test(name)) return undefined;
  return {
    service: folder.replaceAll('_', '-'),
    call: kebab(name),
    subjects: subjects.join('__') === '' ? [] : [subjects.join('__')],
    exact: false,
  };
}

/** Options of the command line itself, whose values name nothing that a call is about. */
const OWN = new Set(['--output', '--profile', '--region', '--query', '--endpoint-url', '--color', '--page-size', '--max-items']);

function ofCommand(words: readonly string[]): SourceCall | undefined {
  const subjects: string[] = [];
  const plain: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('--')) plain.push(word);
    else if (word.includes('=')) {
      if (!OWN.has(word.slice(0, word.indexOf('=')))) subjects.push(word.slice(word.indexOf('=') + 1));
    } else {
      const values: string[] = [];
      while (words[at + 1] !== undefined && !words[at + 1]!.startsWith('--')) values.push(words[++at]!);
      // a switch without a value leaves the words behind it alone
      if (plain.length < 2) plain.push(...values.slice(1));
      if (!OWN.has(word)) subjects.push(...values);
    }
  }
  const [service, call] = plain;
  if (service === undefined || call === undefined) return undefined;
  const unquoted = subjects.map((subject) => subject.replaceAll(/^["']|["']$/g, ''));
  return { service: service === 's3api' ? 's3' : service, call, subjects: unquoted, exact: true };
}
