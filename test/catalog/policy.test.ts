import { NotAPolicy, bindingsOf, namesAction, statementsOf, type Statement } from '../../catalog/cel/policy.js';
import { verdict } from './verdict.js';
import { withinCpu } from '../support/within.js';

const STATEMENT = { Effect: 'Allow', Action: 's3:GetObject', Resource: '*' };
const one = (document: unknown): Statement => statementsOf(document)[0]!;

describe('a policy document', () => {
  it.each([
    ['JSON text', JSON.stringify({ Version: '2012-10-17', Statement: [STATEMENT] })],
    ['JSON text with a byte order mark', `\uFEFF${JSON.stringify({ Statement: STATEMENT })}`],
    ['a map', { Statement: [STATEMENT] }],
    ['a map with one statement', { Statement: STATEMENT }],
    ['statement blocks', { statement: [{ effect: 'Allow', actions: ['s3:GetObject'], resources: ['*'] }] }],
    ['a list of statements', [STATEMENT]],
    ['a statement alone', STATEMENT],
  ])('is read from %s', (_, document) => {
    expect(statementsOf(document)).toHaveLength(1);
    expect(one(document)).toMatchObject({ effect: 'Allow', actions: ['s3:GetObject'], resources: ['*'], principals: [], conditions: [] });
  });

  it('allows where a block of statements says nothing', () => {
    expect(one({ statement: [{ actions: ['*'] }] }).effect).toBe('Allow');
  });

  it('may be empty', () => {
    expect(statementsOf({})).toEqual([]);
    expect(statementsOf({ Statement: [] })).toEqual([]);
  });

  it.each([['no JSON'], ['"text"'], ['42'], [42], [null], [undefined], ['']])('is not %p', (document) => {
    expect(() => statementsOf(document)).toThrow(NotAPolicy);
  });

  it('that is none is not evaluated', () => {
    expect(verdict('statements(r.policy).all(s, s.effect == "Deny")', { policy: 'no JSON' })).toBe('NOT_EVALUATED');
    expect(verdict('statements(r.policy).all(s, s.effect == "Deny")', {})).toBe('NOT_EVALUATED');
  });
});

describe('principals', () => {
  it.each([
    ['*', ['*']],
    [{ AWS: '*' }, ['*']],
    [{ AWS: ['111122223333', 'arn:aws:iam::1:root'] }, ['AWS:111122223333', 'AWS:arn:aws:iam::1:root']],
    [{ Service: 'ec2.amazonaws.com' }, ['Service:ec2.amazonaws.com']],
    [{ Federated: '*' }, ['Federated:*']],
    [{ Service: '*' }, ['Service:*']],
    [{ AWS: '*', Service: ['a', 'b'] }, ['*', 'Service:a', 'Service:b']],
  ])('%j are %j', (Principal, principals) => {
    expect(one({ Statement: [{ ...STATEMENT, Principal }] }).principals).toEqual(principals);
    expect(one({ Statement: [{ ...STATEMENT, NotPrincipal: Principal }] })).toMatchObject({ principals: [], not_principals: principals });
  });

  it('are read from blocks', () => {
    const principals = [
      { type: 'AWS', identifiers: ['*'] },
      { type: '*', identifiers: ['*'] },
      { type: 'Service', identifiers: ['ec2.amazonaws.com'] },
    ];
    expect(one({ statement: [{ actions: ['*'], principals }] }).principals).toEqual(['*', '*', 'Service:ec2.amazonaws.com']);
  });
});

describe('conditions', () => {
  it('are read from a map, keys in lower case', () => {
    const Condition = { Bool: { 'aws:SecureTransport': 'false' }, StringEquals: { 'aws:SourceAccount': ['1', '2'] } };
    expect(one({ ...STATEMENT, Condition }).conditions).toEqual([
      { operator: 'Bool', key: 'aws:securetransport', values: ['false'] },
      { operator: 'StringEquals', key: 'aws:sourceaccount', values: ['1', '2'] },
    ]);
  });

  it('are read from blocks', () => {
    const condition = [{ test: 'StringLike', variable: 'aws:PrincipalOrgID', values: ['o-1'] }];
    expect(one({ statement: [{ actions: ['*'], condition }] }).conditions).toEqual([
      { operator: 'StringLike', key: 'aws:principalorgid', values: ['o-1'] },
    ]);
  });

  it('hold booleans and numbers as texts', () => {
    expect(one({ ...STATEMENT, Condition: { Bool: { 'aws:MultiFactorAuthPresent': true } } }).conditions[0]!.values).toEqual(['true']);
  });
});

describe('actions', () => {
  const names = (actions: string | string[], action: string): boolean => namesAction(one({ Effect: 'Allow', Action: actions }), action);

  it.each([
    ['*', 'iam:PassRole', false],
    ['iam:*', 'iam:PassRole', true],
    ['iam:Pass*', 'iam:PassRole', true],
    ['IAM:passrole', 'iam:PassRole', true],
    ['iam:P?ssRole', 'iam:PassRole', true],
    ['iam:*Role', 'iam:PassRole', true],
    ['*:*', 'iam:PassRole', false],
    ['i*m:*a*e', 'iam:PassRole', true],
    ['iam:PassRole', 'iam:PassRoles', false],
    ['iam:*Roles', 'iam:PassRole', false],
    ['iam:Get*', 'iam:PassRole', false],
    ['iam.PassRole', 'iam:PassRole', false],
    ['s3:*', 'iam:PassRole', false],
    ['iam:?', 'iam:PassRole', false],
    ['', 'iam:PassRole', false],
    ['iam:*', 'iam:*', true],
    ['*', 'iam:*', false],
    ['iam:Pass*', 'iam:*', false],
  ])('%s names %s: %s', (pattern, action, named) => {
    expect(names(pattern, action)).toBe(named);
    expect(names(['s3:List', pattern], action)).toBe(named);
  });

  it('that a statement does not except are not named: its NotAction is a finding of its own', () => {
    const excepting = one({ Effect: 'Allow', NotAction: ['iam:*', 's3:Get*'] });
    expect(excepting).toMatchObject({ actions: [], not_actions: ['iam:*', 's3:Get*'] });
    expect(namesAction(excepting, 's3:PutObject')).toBe(false);
  });

  it('are matched in a time that patterns cannot stretch', async () => {
    expect(await withinCpu(500, () => names(`${'*a'.repeat(200)}b`, 'a'.repeat(2_000)))).toBe(false);
  });

  it('are asked in expressions', () => {
    const policy = JSON.stringify({ Statement: [{ Effect: 'Allow', Action: ['iam:Pass*'], Resource: '*' }] });
    const asked = (action: string): string =>
      verdict(`statements(r.policy).exists(s, s.effect == "Allow" && allows_action(s, "${action}"))`, { policy });
    expect([asked('iam:PassRole'), asked('iam:CreateUser')]).toEqual(['PASS', 'FAIL']);
  });
});

describe('references', () => {
  const policy = JSON.stringify({
    Statement: [{ Effect: 'Allow', Action: '${var.action}', Resource: '${aws_s3_bucket.b.arn}/*', Principal: { AWS: '${var.principal}' } }],
  });

  it('to something that exists are a text of their own, never a star; those that may be null are open', () => {
    expect(one(policy)).toMatchObject({ actions: [undefined], resources: ['${aws_s3_bucket.b.arn}/*'], principals: [undefined] });
  });

  it('leave expressions open only where they decide', () => {
    expect(verdict('statements(r.policy).exists(s, s.resources.exists(x, x == "*"))', { policy })).toBe('FAIL');
    expect(verdict('statements(r.policy).exists(s, s.actions.exists(x, x == "*"))', { policy })).toBe('NOT_EVALUATED');
    expect(verdict('statements(r.policy).exists(s, s.principals.exists(x, x == "*"))', { policy })).toBe('NOT_EVALUATED');
  });

  it('beside a star do not hide it', () => {
    const starred = JSON.stringify({ Statement: [{ Effect: 'Allow', Action: ['${var.action}', '*'], Resource: '*' }] });
    expect(verdict('statements(r.policy).exists(s, s.actions.exists(x, x == "*"))', { policy: starred })).toBe('PASS');
    expect(verdict('statements(r.policy).all(s, !s.actions.exists(x, x == "*"))', { policy: starred })).toBe('FAIL');
  });

  it('as a whole document are not evaluated', () => {
    const document = '${data.aws_iam_policy_document.p.json}';
    expect(verdict('!has(r.policy) || statements(r.policy).all(s, s.effect == "Deny")', { policy: document })).toBe('NOT_EVALUATED');
  });
});

describe('bindings', () => {
  it.each([
    ['JSON text', JSON.stringify({ bindings: [{ role: 'roles/viewer', members: ['allUsers'] }] })],
    ['blocks', { binding: [{ role: 'roles/viewer', members: ['allUsers'] }] }],
    ['a list', [{ role: 'roles/viewer', members: 'allUsers' }]],
  ])('are read from %s', (_, document) => {
    expect(bindingsOf(document)).toEqual([{ role: 'roles/viewer', members: ['allUsers'], condition: false }]);
  });

  it('tell whether they are conditional, and leave variables open', () => {
    const [binding] = bindingsOf([{ role: '${var.role}', members: ['user:a@example.com', '${var.member}'], condition: { title: 'x' } }]);
    expect(binding).toEqual({ role: undefined, members: ['user:a@example.com', undefined], condition: true });
    expect(verdict('bindings(r.b).exists(b, b.members.exists(m, m == "allUsers"))', { b: { bindings: [binding] } })).toBe('NOT_EVALUATED');
  });

  it('are not in what is no policy data', () => {
    expect(() => bindingsOf(42)).toThrow(NotAPolicy);
    expect(() => bindingsOf('no JSON')).toThrow(NotAPolicy);
    expect(bindingsOf({})).toEqual([]);
  });
});
