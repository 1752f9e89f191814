import { many, type Emulated } from './emulated.js';
import { actionTrail, gcp, kubernetes, oci } from './records.js';

const login = (method: string, status: string): object =>
  gcp(`google.login.LoginService.${method}`, 'login.googleapis.com', {
    metadata: {
      event: [{ eventName: 'login_challenge', eventType: 'login', parameter: [{ name: 'login_challenge_status', value: status }] }],
    },
  });
const timed = (records: object[]): object[] =>
  records.map((one, n) => ({ ...one, insertId: `i${n}`, timestamp: `2030-01-01T10:00:${String(n).padStart(2, '0')}Z` }));
const CAS = 'google.cloud.security.privateca.v1.CertificateAuthorityService';

/** https://github.com/RhinoSecurityLabs/GCP-IAM-Privilege-Escalation, and what people who sign in by Google are met with. */
export const GCP_OTHERS: readonly Emulated[] = [
  ['deploymentmanager.deployments.create', ['T1548'], gcp('v2.deploymentmanager.deployments.insert', 'deploymentmanager.googleapis.com')],
  ['iam.serviceAccountKeys.create', ['T1098.001'], gcp('google.iam.admin.v1.CreateServiceAccountKey', 'iam.googleapis.com')],
  ['second factors asked for again and again', ['T1621'], timed(many(() => login('loginChallenge', 'Challenge Failed.'), 10).flat())],
  ['single sign-on changed', ['T1606.002'], gcp('google.admin.AdminService.changeSsoSettings', 'admin.googleapis.com')],
  ['certificate issued', ['T1649'], gcp(`${CAS}.CreateCertificate`, 'privateca.googleapis.com')],
  [
    'key of SSH by a service account',
    ['T1098.004'],
    gcp('google.cloud.oslogin.v1.OsLoginService.ImportSshPublicKey', 'oslogin.googleapis.com', {
      authenticationInfo: { principalEmail: 'app@p.iam.gserviceaccount.com' },
    }),
  ],
];

/** https://github.com/BishopFox/badPods */
export const KUBERNETES_OTHERS: readonly Emulated[] = [
  ['hostnetwork', ['T1611'], kubernetes('create', { resource: 'pods', namespace: 'default', name: 'p' }, { spec: { hostNetwork: true } })],
  ['hostipc', ['T1611'], kubernetes('create', { resource: 'pods', namespace: 'default', name: 'p' }, { spec: { hostIPC: true } })],
  ['hostpid', ['T1611', 'T1610'], kubernetes('create', { resource: 'pods', namespace: 'default', name: 'p' }, { spec: { hostPID: true } })],
  [
    'capabilities',
    ['T1611'],
    kubernetes(
      'create',
      { apiGroup: 'apps', resource: 'deployments', namespace: 'default', name: 'd' },
      { spec: { template: { spec: { containers: [{ image: 'x', securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }] } } } },
    ),
  ],
];

export const OCI_OTHERS: readonly Emulated[] = [['certificate issued', ['T1649'], oci('CreateCertificate', 'CertificatesManagement')]];

export const ALICLOUD_OTHERS: readonly Emulated[] = [
  ['certificate issued', ['T1649'], actionTrail('cas', 'CreateClientCertificate', { CommonName: 'eve' })],
  [
    'second factor tried',
    ['T1621'],
    many((n) => actionTrail('AasCustomer', 'MfaFailed', {}, { eventType: 'ConsoleSignin', errorMessage: 'wrong code' }, n), 10).flat(),
  ],
];
