/** Members that take a map of names that people choose, written `name = { … }`; other objects, and all that stand in lists, are blocks. */
const MAPS = new Set(
  `annotations app_settings config data environment_variables extended_metadata labels match_labels metadata parameters permissions roles secrets tags variables`.split(
    ' ',
  ),
);
/** Kubernetes' types have a block of a name that is a map elsewhere. */
const BLOCKS_OF_KUBERNETES = new Set(['metadata']);

/** Types that are read, not made. */
const DATA_SOURCES = new Set(['aws_iam_policy_document']);

/** A resource as Terraform's configuration writes it. */
export function resourceText(type: string, configuration: Readonly<Record<string, unknown>>): string {
  const isData = type.startsWith('data_') || DATA_SOURCES.has(type);
  const isMap = (name: string): boolean => MAPS.has(name) && !(type.startsWith('kubernetes_') && BLOCKS_OF_KUBERNETES.has(name));
  return [`${isData ? 'data' : 'resource'} "${type.replace(/^data_/, '')}" "this" {`, ...bodyLines(configuration, isMap), '}'].join('\n');
}

type IsMap = (name: string) => boolean;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

function bodyLines(body: Readonly<Record<string, unknown>>, isMap: IsMap): string[] {
  return indented(Object.entries(body).flatMap(([name, value]) => memberLines(name, value, isMap)));
}

function memberLines(name: string, value: unknown, isMap: IsMap): string[] {
  if (isObject(value) && !isMap(name)) return blockLines(name, value, isMap);
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) return value.flatMap((one) => blockLines(name, one, isMap));
  const [first, ...rest] = valueLines(value);
  return [`${name} = ${first}`, ...rest];
}

const blockLines = (name: string, body: Readonly<Record<string, unknown>>, isMap: IsMap): string[] =>
  Object.keys(body).length === 0 ? [`${name} {}`] : [`${name} {`, ...bodyLines(body, isMap), '}'];

/** A value over as many lines as it takes; texts that hold JSON are written as what they say. */
function valueLines(value: unknown): string[] {
  if (typeof value === 'string') return textLines(value);
  if (Array.isArray(value)) return listLines(value);
  if (!isObject(value)) return [JSON.stringify(value) ?? 'null'];
  const entries = Object.entries(value);
  if (entries.length === 0) return ['{}'];
  const members = entries.flatMap(([name, inner]) => {
    const [first, ...rest] = valueLines(inner);
    return [`${/^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name)} = ${first}`, ...rest];
  });
  return ['{', ...indented(members), '}'];
}

function listLines(values: readonly unknown[]): string[] {
  const items = values.map(valueLines);
  if (items.every(({ length }) => length === 1)) return [`[${items.map(([only]) => only).join(', ')}]`];
  return ['[', ...indented(items.flatMap((lines) => [...lines.slice(0, -1), `${lines.at(-1)},`])), ']'];
}

function textLines(text: string): string[] {
  const reference = /^\$\{([^{}]+)\}$/.exec(text);
  if (reference) return [reference[1]!];
  if (/^\s*[[{]/.test(text)) {
    const [first, ...rest] = documentLines(text);
    if (first !== undefined)
      return rest.length === 0 ? [`jsonencode(${first})`] : [`jsonencode(${first}`, ...rest.slice(0, -1), `${rest.at(-1)})`];
  }
  if (text.includes('\n'))
    return [
      '<<-EOT',
      ...text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `  ${line}`),
      'EOT',
    ];
  return [JSON.stringify(text)];
}

function documentLines(text: string): string[] {
  try {
    return valueLines(JSON.parse(text));
  } catch {
    return [];
  }
}
