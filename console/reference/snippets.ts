import type { Call, Proof } from './call.js';

/** A request in one language. Who calls comes out of the environment: a secret belongs into no program. */
type Snippet = (call: Call, origin: string, proof: Proof) => string;

/** A literal of TypeScript, Python and Go alike: what JSON escapes, they read the same way. */
const quoted = (text: string): string => JSON.stringify(text);
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The header of who calls: its name, what stands before the secret, and the variable that holds it. */
const PROOFS = {
  api_key: { name: 'Authorization', before: 'Bearer ', variable: 'PALISADE_API_KEY' },
  access_token: { name: 'Cookie', before: 'access_token=', variable: 'PALISADE_SESSION' },
} as const;

const curl: Snippet = ({ method, path, headers, body }, origin, proof) => {
  const { name, before, variable } = proof ? PROOFS[proof] : { name: '', before: '', variable: '' };
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${shell(origin + path)}`,
    ...(proof ? [`-H "${name}: ${before}$${variable}"`] : []),
    ...Object.entries(headers).map(([header, value]) => `-H ${shell(`${header}: ${value}`)}`),
    ...(body === null ? [] : [`--data-binary ${shell(body)}`]),
  ].join(' \\\n  ');
};

const typescript: Snippet = ({ method, path, headers, body }, origin, proof) => {
  const lines = Object.entries(headers).map(([header, value]) => `    ${quoted(header)}: ${quoted(value)},`);
  if (proof) lines.unshift(`    ${PROOFS[proof].name}: \`${PROOFS[proof].before}\${process.env.${PROOFS[proof].variable}}\`,`);
  return [
    `const response = await fetch(${quoted(origin + path)}, {`,
    `  method: ${quoted(method)},`,
    ...(lines.length > 0 ? ['  headers: {', ...lines, '  },'] : []),
    ...(body === null ? [] : [`  body: ${quoted(body)},`]),
    '});',
    'if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);',
    'console.log(await response.text());',
  ].join('\n');
};

const python: Snippet = ({ method, path, headers, body }, origin, proof) => {
  const lines = Object.entries(headers).map(([header, value]) => `        ${quoted(header)}: ${quoted(value)},`);
  if (proof) lines.unshift(`        "${PROOFS[proof].name}": "${PROOFS[proof].before}" + os.environ["${PROOFS[proof].variable}"],`);
  return [
    ...(proof ? ['import os'] : []),
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${quoted(origin + path)},`,
    `    method=${quoted(method)},`,
    ...(lines.length > 0 ? ['    headers={', ...lines, '    },'] : []),
    ...(body === null ? [] : [`    data=${quoted(body)}.encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.read().decode())',
  ].join('\n');
};

const go: Snippet = ({ method, path, headers, body }, origin, proof) => {
  const packages = ['fmt', 'io', 'net/http', ...(proof ? ['os'] : []), ...(body === null ? [] : ['strings'])];
  const content = body === null ? 'nil' : `strings.NewReader(${quoted(body)})`;
  return [
    'package main',
    '',
    'import (',
    ...packages.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    `\trequest, err := http.NewRequest(${quoted(method)}, ${quoted(origin + path)}, ${content})`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    ...(proof ? [`\trequest.Header.Set("${PROOFS[proof].name}", "${PROOFS[proof].before}"+os.Getenv("${PROOFS[proof].variable}"))`] : []),
    ...Object.entries(headers).map(([header, value]) => `\trequest.Header.Set(${quoted(header)}, ${quoted(value)})`),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\tbody, err := io.ReadAll(response.Body)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tfmt.Println(response.Status, string(body))',
    '}',
  ].join('\n');
};

/** The languages, in the order in which they are offered. */
export const LANGUAGES: readonly { readonly name: string; readonly write: Snippet }[] = [
  { name: 'curl', write: curl },
  { name: 'TypeScript', write: typescript },
  { name: 'Python', write: python },
  { name: 'Go', write: go },
];
