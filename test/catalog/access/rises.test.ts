import { administrator, type AccessEdge } from '../../../catalog/access/edges/types.js';
import { risesIn } from '../../../catalog/access/rises.js';

type Said = [from: string, kind: AccessEdge['kind'], to: string, more?: Partial<AccessEdge>];

const ROOT = administrator('aws', '111122223333');
const rises = (...said: Said[]) =>
  risesIn(
    'aws',
    said.map(([from, kind, to, more]) => ({ from, kind, to, privilege: null, conditional: false, way: null, by: [], ...more })),
  ).map(({ identity_uid, administers_by, ways }) => [
    identity_uid,
    administers_by,
    ways.map(({ id, identity_uids }) => [id, identity_uids]),
  ]);
const ADMIN: Said = ['root', 'may_access', ROOT, { privilege: 'admin', by: [{ resource_uid: 'all', statement: 's' }] }];

it('an administrator is told with the policies that make it one, and with no ways to more', () => {
  expect(rises(ADMIN, ['root', 'escalates_to', ROOT, { way: 'aws-attach-user-policy' }])).toEqual([['root', ['all'], []]]);
});

it('a step that makes an administrator, or wins the rights of one, is a way up', () => {
  expect(
    rises(
      ADMIN,
      ['ann', 'escalates_to', ROOT, { way: 'aws-attach-user-policy' }],
      ['ann', 'escalates_to', 'root', { way: 'aws-create-access-key' }],
      ['bob', 'may_assume', 'root'],
    ).slice(1),
  ).toEqual([
    [
      'ann',
      null,
      [
        ['aws-attach-user-policy', []],
        ['aws-create-access-key', ['root']],
      ],
    ],
    ['bob', null, [['act-as', ['root']]]],
  ]);
});

it('what is conditional, and the rights of somebody else, make nobody an administrator', () => {
  expect(
    rises(
      ['ann', 'escalates_to', 'bob', { way: 'aws-create-access-key' }],
      ['ann', 'escalates_to', ROOT, { way: 'aws-attach-user-policy', conditional: true }],
      ['ann', 'may_access', ROOT, { privilege: 'admin', conditional: true }],
    ),
  ).toEqual([]);
});
