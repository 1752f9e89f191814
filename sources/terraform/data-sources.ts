import { valuesOf } from './body.js';
import type { Declared } from './module.js';
import type { Scope } from './scope.js';
import { holdsUnknown, isMap, isUnknown, mapOf, setMember, toJson, toText, Unknown, type Value, type ValueMap } from './value.js';

/** What a data source says without asking anybody; undefined where somebody would have to be asked. */
export function dataAttribute({ type, block }: Declared, name: string, scope: Scope): Value | undefined {
  if (type === 'aws_iam_policy_document' && (name === 'json' || name === 'minified_json')) return policyDocument(valuesOf(block, scope));
  // of three partitions, the one that nearly all accounts are in: policies and ARNs can be read with it
  if (type === 'aws_partition') return name === 'partition' || name === 'id' ? 'aws' : name === 'dns_suffix' ? 'amazonaws.com' : undefined;
  const expression = block.attributes.get(name);
  return expression === undefined ? undefined : scope.evaluate(expression, scope);
}

const listOf = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);
const isSet = (value: Value | undefined): value is Value =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
/** One of several is written alone. */
const oneOrMore = (value: Value): Value => (Array.isArray(value) && value.length === 1 ? value[0]! : value);

/** Documents that statements are taken from, or replaced by: the last two are names that older configurations have. */
const MERGED = ['source_policy_documents', 'override_policy_documents', 'source_json', 'override_json'];
const OPEN_DOCUMENT = Unknown.of('data.aws_iam_policy_document');

/** The JSON of `aws_iam_policy_document`. */
function policyDocument(values: ValueMap): Value {
  const { statement, version, policy_id: id } = values;
  if (isUnknown(statement ?? null) || MERGED.some((name) => isSet(values[name]))) return OPEN_DOCUMENT;
  const document = mapOf([
    ['Version', version ?? '2012-10-17'],
    ...(isSet(id) ? [['Id', id] as const] : []),
    ['Statement', listOf(statement).map(statementOf)],
  ]);
  const text = toJson(document);
  return holdsUnknown(document) ? new Unknown(text) : text;
}

const MEMBERS: readonly [attribute: string, member: string][] = [
  ['sid', 'Sid'],
  ['effect', 'Effect'],
  ['actions', 'Action'],
  ['not_actions', 'NotAction'],
  ['resources', 'Resource'],
  ['not_resources', 'NotResource'],
];

function statementOf(block: Value): Value {
  if (!isMap(block)) return block;
  const made: ValueMap = mapOf([['Effect', 'Allow']]);
  for (const [attribute, member] of MEMBERS) if (isSet(block[attribute])) setMember(made, member, oneOrMore(block[attribute]));
  for (const [attribute, member] of [
    ['principals', 'Principal'],
    ['not_principals', 'NotPrincipal'],
  ] as const)
    if (isSet(block[attribute])) setMember(made, member, principalsOf(listOf(block[attribute])));
  if (isSet(block.condition)) setMember(made, 'Condition', conditionsOf(listOf(block.condition)));
  return made;
}

function principalsOf(blocks: readonly Value[]): Value {
  const made: ValueMap = {};
  for (const block of blocks) {
    if (!isMap(block)) return block;
    const { type = '', identifiers = [] } = block;
    if (type === '*' || isUnknown(type) || isUnknown(identifiers)) return type === '*' ? '*' : OPEN_DOCUMENT;
    const before = Object.hasOwn(made, String(type)) ? [made[String(type)]!].flat() : [];
    setMember(made, String(type), oneOrMore([...before, ...listOf(identifiers)]));
  }
  return made;
}

function conditionsOf(blocks: readonly Value[]): Value {
  const made: ValueMap = {};
  for (const block of blocks) {
    if (!isMap(block)) return block;
    const [test, variable] = [toText(block.test ?? ''), toText(block.variable ?? '')];
    if (test === undefined || variable === undefined || isUnknown(block.test ?? '') || isUnknown(block.variable ?? ''))
      return OPEN_DOCUMENT;
    const tests: ValueMap = Object.hasOwn(made, test) && isMap(made[test]!) ? made[test] : {};
    const before = Object.hasOwn(tests, variable) ? [tests[variable]!].flat() : [];
    setMember(tests, variable, oneOrMore([...before, ...[block.values ?? []].flat()]));
    setMember(made, test, tests);
  }
  return made;
}
