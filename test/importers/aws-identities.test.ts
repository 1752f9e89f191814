import type { ImportOptions } from '../../importers/types.js';
import { fixture } from './fixtures.js';
import { readAll, type Gathered } from './read-all.js';

const assets = ({ items }: Gathered) => items.flatMap((item) => (item.kind === 'asset' ? [item.asset] : []));
const broken = (all: Gathered) => all.broken.map(({ reason }) => reason);

it('a credential report tells of users, their passwords and the keys that there are', async () => {
  const [root, ann, deploy] = assets(await readAll('aws_credential_report', fixture('aws_credential_report', 'report.csv')));
  const user = { resource_type: 'aws_iam_user', provider: 'aws', account_id: '111122223333', region: 'global' };
  expect(root).toMatchObject({ ...user, resource_uid: 'arn:aws:iam::111122223333:root', configuration: { name: '<root_account>' } });
  // whether the root user's password is switched on is not told
  expect(root!.configuration).not.toHaveProperty('password_enabled');
  expect(ann).toMatchObject({ ...user, resource_uid: 'arn:aws:iam::111122223333:user/people/ann' });
  expect(ann!.configuration).toEqual({
    ...{ id: 'ann', name: 'ann', arn: 'arn:aws:iam::111122223333:user/people/ann', create_date: '2021-06-02T10:00:00.000Z' },
    ...{ password_enabled: true, password_last_used: '2026-03-04T07:00:00.000Z', password_last_changed: '2025-12-01T10:00:00.000Z' },
    ...{ password_next_rotation: '2026-06-01T10:00:00.000Z', mfa_active: true, active_access_keys: 1 },
    access_keys: [
      {
        ...{ number: 1, active: true, last_rotated: '2025-11-20T12:00:00.000Z', last_used_date: '2026-03-05T06:30:00.000Z' },
        ...{ last_used_region: 'eu-west-1', last_used_service: 's3' },
      },
      // it is switched off, and still there
      { number: 2, active: false, last_rotated: '2022-01-01T00:00:00.000Z' },
    ],
    // the later of the password and the keys
    last_used_date: '2026-03-05T06:30:00.000Z',
  });
  expect(deploy!.configuration).toMatchObject({ password_enabled: false, active_access_keys: 1, signing_certificates: [{ active: true }] });
  expect(deploy!.configuration).not.toHaveProperty('last_used_date');
  // what it does not show is open
  expect(ann!.unknown_paths).toEqual(['*', 'permissions_boundary']);
});

it('a row of the credential report that names no user is broken', async () => {
  const found = await readAll('aws_credential_report', fixture('aws_credential_report', 'short.csv'));
  expect(assets(found).map(({ resource_uid }) => resource_uid)).toEqual(['arn:aws-us-gov:iam::444455556666:user/bob']);
  expect(broken(found)).toEqual(['arn is none of a user (byte 448)']);
});

const ROLE = 'arn:aws:iam::111122223333:role/app';
const service = (name: string, own: object = {}) => ({ ServiceName: name, ServiceNamespace: name, TotalAuthenticatedEntities: 0, ...own });
const report = (services: object[], own: object = {}): string =>
  JSON.stringify({
    ...{ JobStatus: 'COMPLETED', JobCreationDate: '2026-03-06T10:00:00Z', JobCompletionDate: '2026-03-06T10:00:04Z' },
    ...{ ServicesLastAccessed: services, ...own },
  });
const used = (entity: string, total = 1) => ({
  ...{ LastAuthenticated: '2026-03-01T00:00:00Z', LastAuthenticatedEntity: entity, TotalAuthenticatedEntities: total },
});

it('a report of last access tells services that were used, those that were not, and the rights of which it tells', async () => {
  const found = await readAll('aws_last_accessed', fixture('aws_last_accessed', 'role.json'));
  expect(found.items.filter(({ kind }) => kind === 'last_access')).toEqual([
    {
      kind: 'last_access',
      last_access: {
        ...{ resource_uid: 'arn:aws:iam::111122223333:role/apps/app', provider: 'aws', position: expect.any(String) as string },
        reported_at: new Date('2026-03-06T10:00:04.680Z'),
        services: [
          {
            ...{ service: 's3', last_used_at: new Date('2026-03-05T06:30:00Z') },
            rights: [{ right: 's3:GetObject', last_used_at: new Date('2026-03-05T06:30:00Z') }],
          },
          { service: 'sqs', last_used_at: null, rights: [] },
        ],
      },
    },
  ]);
});

it.each<[string, string, ImportOptions, string | { broken: string }]>([
  ['who used its services', report([service('s3', used(ROLE))]), {}, ROLE],
  ['whom Arn names', report([service('s3')], { Arn: ROLE }), {}, ROLE],
  ['whom the import names', report([service('s3')]), { artifact: ROLE }, ROLE],
  ['nobody, where nothing says it', report([service('s3')]), { artifact: 'app' }, { broken: 'nothing says of whom the report is' }],
  ['nobody, where it is of a group', report([service('s3', used(ROLE, 2))], { Arn: ROLE }), {}, { broken: 'several identities' }],
  [
    'nobody, where several have used its services',
    report([service('s3', used(ROLE)), service('ec2', used(`${ROLE}2`))], { Arn: ROLE }),
    {},
    { broken: 'several identities' },
  ],
  [
    'nobody, where Arn is a policy',
    report([], { Arn: 'arn:aws:iam::aws:policy/ReadOnlyAccess' }),
    {},
    { broken: 'none of a user or a role' },
  ],
  ['nobody, where it is not complete', report([], { Arn: ROLE, JobStatus: 'FAILED' }), {}, { broken: 'not complete: FAILED' }],
])('a report of last access is of %s', async (_case, text, options, expected) => {
  const found = await readAll('aws_last_accessed', text, options);
  if (typeof expected === 'string') expect(found.items[0]).toMatchObject({ last_access: { resource_uid: expected } });
  else expect(broken(found)).toEqual([expect.stringContaining(expected.broken)]);
});
