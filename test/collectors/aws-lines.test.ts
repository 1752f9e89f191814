import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { loadCatalog } from '../../catalog/catalog.js';
import { AWS_CALLS } from '../../collectors/aws/calls.js';
import { commandOf, filled } from '../../collectors/aws/command.js';
import { NONE } from '../../collectors/aws/ask.js';
import { allLines, permissionOf, type CallGroup, type CallLine } from '../../collectors/aws/lines.js';
import { asPrinted } from '../../collectors/aws/printed.js';
import { GROUPS } from '../../collectors/aws/services/index.js';
import { managedPolicy } from './aws-managed-policy.js';
import { cloudTable } from '../../importers/cloud/table.js';
import { toldTypes } from '../../importers/cloud/told.js';
import { readSourceCall } from '../../importers/cloud/source-call.js';

/** Calls that the importer knows beside, and why they are not made. */
const NOT_MADE: Readonly<Record<string, string>> = {
  'ec2/describe-instance-attribute': 'user data may be a secret',
  'iam/list-attached-user-policies': 'the account authorization details tell it',
  'iam/list-groups-for-user': 'the account authorization details tell it',
  'iam/list-attached-role-policies': 'the account authorization details tell it',
  'iam/get-policy-version': 'the account authorization details tell it',
  'ssm/get-document': 'what a document does may hold secrets',
  's3/get-bucket-lifecycle': 'the call before get-bucket-lifecycle-configuration',
  's3/get-bucket-notification': 'the call before get-bucket-notification-configuration',
};

const made = GROUPS.flatMap((group) =>
  allLines(group.calls).map((line) => {
    const call = readSourceCall(commandOf(group.command, line.call))!;
    return { group, line, name: `${call.service}/${call.call}` };
  }),
);

/** What the SDK documents of the answer of a call. */
function answerOf({ load: loads }: CallGroup, { call }: CallLine): string {
  const name = /@aws-sdk\/client-[\w-]+/.exec(String(loads))![0];
  const text = readFileSync(join(__dirname, '../../node_modules', name, 'dist-types/commands', `${call}Command.d.ts`), 'utf8');
  return text.slice(text.indexOf('await client.send'));
}
const untold = load(readFileSync(join(__dirname, '../../importers/cloud/tables/untold.yaml'), 'utf8')) as { aws: { unasked: string[] } };

describe('what is asked of AWS', () => {
  it('is all that the importer understands of the services that are asked, but for what is named here with its reason', () => {
    const services = new Set(made.map(({ name }) => name.split('/')[0]));
    const known = cloudTable('aws').things.flatMap(({ calls }) => calls.flatMap(({ call }) => call));
    const missing = known.filter((name) => services.has(name.split('/')[0]) && !made.some((one) => one.name === name));
    expect([...new Set(missing)].sort()).toEqual(Object.keys(NOT_MADE).sort());
  });

  it('tells every type that weighty rules read and the importer knows, but for those that are said to be unasked', () => {
    const members = made.map(({ group, line }) => answerOf(group, line)).join('\n');
    const isMember = (path: string): boolean => new RegExp(`^ \\* //\\s+${path.split('.')[0]}:`, 'm').test(members);
    const types = new Set<string>();
    for (const { type, answer, summary, one, whole, more, calls } of cloudTable('aws').things) {
      const isTold = [...answer, ...summary, ...one].some(isMember) || (whole.length > 0 && whole.every(isMember));
      const asked = calls.filter(({ call }) => call.some((name) => made.some((other) => other.name === name)));
      if (isTold) for (const { type: further } of more) types.add(further);
      if (isTold || asked.length > 0) types.add(type);
      for (const line of asked) for (const { type: further } of line.more) types.add(further);
    }
    const known = new Set(toldTypes('aws').map(({ type }) => type));
    const weighty = loadCatalog()
      .rules.filter(({ provider, severity }) => provider === 'aws' && (severity === 'high' || severity === 'critical'))
      .flatMap(({ resource_types }) => resource_types);
    const unasked = [...new Set(weighty)].filter((type) => known.has(type) && !types.has(type));
    expect(unasked.sort()).toEqual(untold.aws.unasked);
  });

  it('takes each error for an answer that the importer takes for one', () => {
    for (const { calls } of cloudTable('aws').things)
      for (const { call, none } of calls)
        for (const { line } of made.filter(({ name }) => call.includes(name)))
          for (const code of none) expect([code, NONE.test(code) || line.none?.includes(code)]).toEqual([code, true]);
  });

  it.each(made.map(({ group, line, name }) => [name, group, line] as const))(
    '%s is a call of the SDK, under a permission that reads',
    async (_name, group, line) => {
      expect(await group.load()).toHaveProperty(`${line.call}Command`);
      expect(permissionOf(group, line)).toMatch(/^[a-z0-9-]+:((Batch)?(Get|List|Describe)\w+|GET)$/);
    },
  );

  it('is granted by the templates, and nothing else is', () => {
    const granted = AWS_CALLS.flatMap(({ permissions }) => permissions);
    expect(new Set(granted).size).toBe(granted.length);
    expect(new Set(granted)).toEqual(new Set([...made.map(({ group, line }) => permissionOf(group, line)), 'ec2:DescribeRegions']));
  });

  it('is what auditors may do by a policy of AWS, which knows every name of a permission', () => {
    const isKnown = managedPolicy('SecurityAudit', 'ReadOnlyAccess');
    expect(AWS_CALLS.flatMap(({ permissions }) => permissions).filter((permission) => !isKnown(permission))).toEqual([]);
  });
});

describe('a call', () => {
  it.each([
    ['rds', 'DescribeDBInstances', 'aws rds describe-db-instances'],
    ['iam', 'ListMFADevices', 'aws iam list-mfa-devices'],
    ['ec2', 'DescribeVpcs', 'aws ec2 describe-vpcs'],
    ['iam', 'GetOpenIDConnectProvider', 'aws iam get-open-id-connect-provider'],
  ])('of %s, %s, is written as the command line writes it', (service, call, command) => expect(commandOf(service, call)).toBe(command));

  it('names what it is about, and is not made where the thing has no such name', () => {
    const input = filled({ Names: ['{Name}'], Kind: 'x', Deep: true }, { Name: 'ledger' })!;
    expect(commandOf('elbv2', 'DescribeTags', input)).toBe('aws elbv2 describe-tags --names ledger --kind x --deep true');
    expect(filled({ Names: ['{Name}'] }, { Id: 'ledger' })).toBeUndefined();
  });
});

test('an answer is told as the command line prints it, without what is secret in it', () => {
  const answer = {
    $metadata: { httpStatusCode: 200 },
    At: new Date('2026-01-02T03:04:05Z'),
    Bytes: new Uint8Array([1, 2]),
    Nothing: undefined,
    Document: encodeURIComponent('{"Version":"2012-10-17"}'),
    Odd: '%7Bnot json',
    Things: [{ Name: 'a', Key: { Secret: 'x', Id: 1 } }, { Name: 'b' }],
  };
  expect(asPrinted(answer, ['Things.Key.Secret', 'No.Where'])).toEqual({
    At: '2026-01-02T03:04:05.000Z',
    Bytes: 'AQI=',
    Document: { Version: '2012-10-17' },
    Odd: '%7Bnot json',
    Things: [{ Name: 'a', Key: { Id: 1 } }, { Name: 'b' }],
  });
});
