import { eventsIn, findingsOf } from './findings-of.js';
import { actionTrail, gcp, oci, trail } from './records.js';

const second = (n: number) => `2030-01-01T10:00:${String(n).padStart(2, '0')}Z`;

/** A sign-in that failed: the n-th of its log, of a user and from an address. */
type SignIn = (n: number, user: string, address: string) => object;

const entra: SignIn = (n, user, ipAddress) => ({
  ...{ id: `s${n}`, createdDateTime: second(n), userId: `00000000-0000-0000-0000-${user.padStart(12, '0')}`, userPrincipalName: user },
  ...{ tenantId: '0e000000-0000-4000-8000-000000000001', appId: 'app', ipAddress, status: { errorCode: n % 2 ? 50126 : 50034 } },
});
const aws: SignIn = (n, userName, sourceIPAddress) => {
  const userIdentity = { type: 'IAMUser', accountId: '111122223333', userName };
  const answer = { errorMessage: 'Failed authentication', responseElements: { ConsoleLogin: 'Failure' }, eventType: 'AwsConsoleSignIn' };
  return trail('signin', 'ConsoleLogin', {}, { userIdentity, sourceIPAddress, eventID: `e${n}`, eventTime: second(n), ...answer });
};
const google: SignIn = (n, user, callerIp) => {
  const payload = { authenticationInfo: { principalEmail: `${user}@x.example` }, requestMetadata: { callerIp } };
  const [entry] = gcp('google.login.LoginService.loginFailure', 'login.googleapis.com', payload) as [object];
  return { ...entry, insertId: `i${n}`, timestamp: second(n), logName: 'organizations/1/logs/cloudaudit.googleapis.com%2Fdata_access' };
};
const oracle: SignIn = (n, principalName, ipAddress) => {
  const identity = { principalName, principalId: null, tenantId: 'ocid1.tenancy.oc1..acme', ipAddress };
  return oci('InteractiveLogin', 'IdentitySignOn', { identity, response: { status: '401' } }, n);
};
const alibaba: SignIn = (n, userName, sourceIpAddress) => {
  const userIdentity = { type: 'ram-user', accountId: '1000000000000001', userName };
  const own = { eventType: 'ConsoleSignin', errorMessage: 'The password is wrong', userIdentity, sourceIpAddress };
  return actionTrail('AasCustomer', 'ConsoleSignin', {}, own, n);
};

const LOGS: readonly [rule: string, format: string, signIn: SignIn][] = [
  ['entra-passwords-sprayed', 'azure_audit', entra],
  ['aws-passwords-sprayed', 'cloudtrail', aws],
  ['gcp-passwords-sprayed', 'gcp_audit', google],
  ['oci-passwords-sprayed', 'oci_audit', oracle],
  ['alicloud-passwords-sprayed', 'alicloud_actiontrail', alibaba],
];

/** Ten sign-ins of a log as its report. */
function reportOf(signIn: SignIn, userOf: (n: number) => string, addressOf: (n: number) => string): Buffer {
  const made = Array.from({ length: 10 }, (_, n) => signIn(n, userOf(n), addressOf(n)));
  const [first] = made as [object];
  const records = 'Records' in first ? { Records: made.flatMap((one) => (one as { Records: object[] }).Records) } : made.flat();
  return Buffer.from(JSON.stringify(records));
}

it.each(LOGS)(
  '%s: passwords of many from one address are one finding of the address, and of many addresses or one user none',
  async (rule, format, signIn) => {
    const sprayed = async (userOf: (n: number) => string, addressOf: (n: number) => string): Promise<string[]> => {
      const events = await eventsIn(format, reportOf(signIn, userOf, addressOf));
      expect(events).toHaveLength(10);
      const found = (await findingsOf(events)).map((key) => key.split(' ', 2));
      return found.flatMap(([name, subject]) => (name === `palisade-detection-${rule}` ? [subject!] : []));
    };
    expect(
      await sprayed(
        (n) => `user${n}`,
        () => '203.0.113.7',
      ),
    ).toEqual(['203.0.113.7']);
    expect(
      await sprayed(
        (n) => `user${n}`,
        (n) => `203.0.113.${n}`,
      ),
    ).toEqual([]);
    expect(
      await sprayed(
        () => 'user1',
        () => '203.0.113.7',
      ),
    ).toEqual([]);
  },
);
