import { parseHcl } from './hcl.js';
import { resolveText } from './reference.js';
import { block, blocks, type Plain } from './read.js';

/** One statement of a policy document, whoever's it is. A text that may be null (a variable) is undefined. */
export interface Statement {
  sid: string | undefined;
  effect: string;
  actions: (string | undefined)[];
  not_actions: (string | undefined)[];
  resources: (string | undefined)[];
  not_resources: (string | undefined)[];
  /** `*`, `AWS:arn:aws:iam::1:root`, `Service:ec2.amazonaws.com`, `Federated:…`. */
  principals: (string | undefined)[];
  not_principals: (string | undefined)[];
  /** Keys in lower case. */
  conditions: { operator: string; key: string; values: (string | undefined)[] }[];
}

/** One binding of IAM policy data. */
export interface Binding {
  role: string | undefined;
  members: (string | undefined)[];
  condition: boolean;
}

/** The text is no policy document. */
export class NotAPolicy extends Error {
  override readonly name = 'NotAPolicy';
}

/** A reference to something that exists is a text of its own, never `*`; a variable may be anything. */
function known(value: unknown): string | undefined {
  if (typeof value !== 'string') return value === null || value === undefined ? undefined : String(value);
  if (!value.includes('${')) return value;
  const resolved = resolveText(value);
  return resolved.kind === 'open' ? undefined : resolved.kind === 'value' ? String(resolved.value) : value;
}

function texts(value: unknown): (string | undefined)[] {
  if (value === undefined || value === null || value === '') return [];
  return (Array.isArray(value) ? value : [value]).map(known);
}

const member = (object: Plain, ...names: string[]): unknown => names.map((name) => object[name]).find((value) => value !== undefined);

function principals(value: unknown): (string | undefined)[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return value === '*' ? ['*'] : [known(value)];
  // Alibaba Cloud's bucket policies list principals as texts
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return texts(value);
  return blocks(value).flatMap((principal) => {
    // `principals { type, identifiers }` of a policy written as blocks
    if (typeof principal['type'] === 'string' && 'identifiers' in principal) {
      const { type } = principal;
      return texts(principal['identifiers']).map((name) =>
        type === '*' || (name === '*' && type === 'AWS') ? '*' : name && `${type}:${name}`,
      );
    }
    return Object.entries(principal).flatMap(([kind, names]) =>
      texts(names).map((name) => (name === '*' && kind !== 'Service' && kind !== 'Federated' ? '*' : name && `${kind}:${name}`)),
    );
  });
}

function conditions(statement: Plain): Statement['conditions'] {
  const written = blocks(statement['condition']).filter((condition) => 'test' in condition || 'variable' in condition);
  if (written.length > 0) {
    return written.map((condition) => ({
      operator: known(condition['test']) ?? '',
      key: (known(condition['variable']) ?? '').toLowerCase(),
      values: texts(condition['values']),
    }));
  }
  return blocks(member(statement, 'Condition', 'condition')).flatMap((operators) =>
    Object.entries(operators).flatMap(([operator, keys]) =>
      blocks(keys).flatMap((pairs) =>
        Object.entries(pairs).map(([key, values]) => ({ operator, key: key.toLowerCase(), values: texts(values) })),
      ),
    ),
  );
}

function statement(value: Plain): Statement {
  return {
    sid: known(member(value, 'Sid', 'sid')) || undefined,
    effect: known(member(value, 'Effect', 'effect')) ?? 'Allow',
    actions: texts(member(value, 'Action', 'actions', 'action')),
    not_actions: texts(member(value, 'NotAction', 'not_actions')),
    resources: texts(member(value, 'Resource', 'resources', 'resource')),
    not_resources: texts(member(value, 'NotResource', 'not_resources')),
    principals: principals(member(value, 'Principal', 'principals')),
    not_principals: principals(member(value, 'NotPrincipal', 'not_principals')),
    conditions: conditions(value),
  };
}

/** JSON text as its value; anything else as it is. @throws NotAPolicy for text that is no JSON */
export function parsed(document: unknown): unknown {
  if (typeof document !== 'string') return document;
  try {
    return JSON.parse(document.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    // HCL's objects take what people write by mistake: a comma after the last member
    const value = /^\s*[[{]/.test(document) ? parseHcl(document) : undefined;
    if (value === undefined) throw new NotAPolicy('the text is not JSON');
    return value;
  }
}

/**
 * The statements of a policy document: JSON text, its value, `statement` blocks, or a single statement.
 * @throws NotAPolicy when it is none
 */
export function statementsOf(document: unknown): Statement[] {
  const value = parsed(document);
  if (Array.isArray(value)) return blocks(value).map(statement);
  const policy = block(value);
  if (policy === undefined) throw new NotAPolicy('the value is no policy document');
  const list = member(policy, 'Statement', 'statement');
  if (list !== undefined) return blocks(list).map(statement);
  return 'Effect' in policy || 'actions' in policy || 'Action' in policy ? [statement(policy)] : [];
}

/** The bindings of IAM policy data (`{bindings: [...]}`, `binding` blocks). @throws NotAPolicy when it is none */
export function bindingsOf(document: unknown): Binding[] {
  const value = parsed(document);
  const list = Array.isArray(value) ? value : member(block(value) ?? {}, 'bindings', 'binding');
  if (list === undefined && block(value) === undefined) throw new NotAPolicy('the value is no policy data');
  return blocks(list).map((binding) => ({
    role: known(binding['role']),
    members: texts(binding['members']),
    condition: block(binding['condition']) !== undefined,
  }));
}

/**
 * Whether a text fits a pattern with `*` and `?`, whatever the case. The time grows with the product of the lengths only: both may
 * be a tenant's.
 */
export function matchesPattern(pattern: string, action: string): boolean {
  if (pattern === '*') return true;
  const [wanted, text] = [pattern.toLowerCase(), action.toLowerCase()];
  let at = 0;
  let star = -1;
  let starAt = 0;
  for (let i = 0; i < text.length;) {
    if (wanted[at] === '*') {
      star = at++;
      starAt = i;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === text[i])) {
      at += 1;
      i += 1;
    } else if (star === -1) return false;
    else {
      // the last star takes one letter more
      at = star + 1;
      i = ++starAt;
    }
  }
  while (wanted[at] === '*') at += 1;
  return at === wanted.length;
}

const EVERYTHING = /^\*(?::\*)?$/;

/**
 * Whether a statement's actions name an action, by a pattern or in full. A bare `*` and a NotAction allow it too, and everything else: rules
 * about single actions leave those to the rules about administrators' policies, so that one such policy is one finding, not a hundred.
 */
export function namesAction({ actions }: Pick<Statement, 'actions'>, action: string): boolean {
  return actions.some((pattern) => pattern !== undefined && !EVERYTHING.test(pattern) && matchesPattern(pattern, action));
}
