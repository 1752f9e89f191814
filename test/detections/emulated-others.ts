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

const pod = (verb: string, subresource: string, namespace: string): object =>
  kubernetes(verb, { resource: 'pods', subresource, namespace, name: 'p' });
/** What the token of a pod may do, asked for with it. */
const asking = (resource: string): object =>
  (kubernetes('create', { apiGroup: 'authorization.k8s.io', resource }) as object[]).map((one) => ({
    ...one,
    ...{ user: { username: 'system:serviceaccount:default:app' }, userAgent: 'kubectl/v1.31.0' },
  }));

/** https://detectioninthe.cloud (Leonidas, for Kubernetes) and Microsoft's threat matrix of Kubernetes: what is not among the above. */
const CASES: readonly Emulated[] = [
  ['exec into a system pod', ['T1609'], pod('create', 'exec', 'kube-system')],
  ['container beside', ['T1609', 'T1610'], pod('patch', 'ephemeralcontainers', 'default')],
  ['port forwarded', ['T1572', 'T1090'], pod('create', 'portforward', 'default')],
  [
    'job of the system',
    ['T1053.007'],
    kubernetes('create', { apiGroup: 'batch', resource: 'cronjobs', namespace: 'kube-system', name: 'j' }),
  ],
  [
    'webhook that changes pods',
    ['T1546'],
    kubernetes(
      'create',
      { apiGroup: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations', name: 'w' },
      {
        webhooks: [{ clientConfig: { url: 'https://evil.example' } }],
      },
    ),
  ],
  ['events deleted', ['T1070'], kubernetes('deletecollection', { resource: 'events', namespace: 'default' })],
  ['rights asked for', ['T1069'], asking('selfsubjectrulesreviews')],
  [
    'name server changed',
    ['T1557'],
    kubernetes('update', { resource: 'configmaps', namespace: 'kube-system', name: 'coredns' }, { data: {} }),
  ],
  [
    'everybody bound',
    ['T1098.006'],
    kubernetes(
      'create',
      { apiGroup: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', name: 'b' },
      {
        roleRef: { name: 'view' },
        subjects: [{ kind: 'User', name: 'system:anonymous' }],
      },
    ),
  ],
  [
    'certificate for a client',
    ['T1649'],
    kubernetes(
      'create',
      { apiGroup: 'certificates.k8s.io', resource: 'certificatesigningrequests', name: 'c' },
      {
        spec: { signerName: 'kubernetes.io/kube-apiserver-client' },
      },
    ),
  ],
  [
    'daemon on every node',
    ['T1543.005', 'T1610'],
    kubernetes(
      'create',
      { apiGroup: 'apps', resource: 'daemonsets', namespace: 'default', name: 'd' },
      {
        spec: {},
      },
    ),
  ],
];

/** https://github.com/BishopFox/badPods, and the above. */
export const KUBERNETES_OTHERS: readonly Emulated[] = [
  ...CASES,
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
