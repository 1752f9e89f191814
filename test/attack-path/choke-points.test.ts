import { pathsOf, pointsOf, RCE, type Sketch } from './estate.js';

const LOG4SHELL = `CVE-2021-44228 org.apache.logging.log4j:log4j-core ${RCE} 0.94 known`;

it('one image in two clouds: the hole that both have takes most away, then what one of them has', () => {
  const sketch: Sketch = {
    assets: {
      ...{ image: 'aws other container_image', web: 'aws workload aws_ecs_service', role: 'aws identity aws_iam_role' },
      ...{ bucket: 'aws store aws_dynamodb_table', run: 'gcp workload google_cloud_run_v2_service' },
      ...{ account: 'gcp identity google_service_account', lake: 'gcp store google_storage_bucket' },
    },
    edges: [
      ...['web uses_image image', 'web runs_as role', 'role may_access:read bucket'],
      ...['run uses_image image', 'run runs_as account', 'account may_access:read lake'],
    ],
    exposed: { web: [443] },
    signals: ['public_endpoint on run'],
    holes: { image: LOG4SHELL },
    jewels: { bucket: 'high', lake: 'medium' },
  };
  expect(pathsOf(sketch)).toEqual([
    'internet -initial_access-> web -identity_of_code-> role -data_access-> bucket 0.769',
    'internet -initial_access-> run -identity_of_code-> account -data_access-> lake 0.769',
  ]);
  // 0.9 × 0.95 × 0.9, times 0.6 for what is high and 0.3 for what is medium
  expect(pointsOf(sketch)).toEqual([
    'web: CVE-2021-44228 in org.apache.logging.log4j:log4j-core (known to be exploited): 2 2 0.693',
    'role: Its own policy allows it: 1 1 0.462',
    'web: The internet reaches it at port 443: 1 1 0.462',
    'web: It runs as role: 1 1 0.462',
    'account: Its own policy allows it: 1 1 0.231',
    'run: public_endpoint: 1 1 0.231',
    'run: It runs as account: 1 1 0.231',
  ]);
});

it('two entries of two clouds that meet in one role: its right is the only thing that frees the jewel', () => {
  const sketch: Sketch = {
    assets: {
      ...{ api: 'azure workload azurerm_container_app', invoices: 'azure identity azurerm_user_assigned_identity' },
      ...{ ci: 'aws identity aws_iam_user', deploy: 'aws identity aws_iam_role', ledger: 'aws store aws_dynamodb_table' },
    },
    edges: ['api runs_as invoices', 'invoices may_assume deploy', 'ci may_assume deploy', 'deploy may_access:write ledger'],
    signals: ['public_endpoint on api', 'leaked_credential on ci'],
    holes: { api: LOG4SHELL },
    jewels: { ledger: 'critical' },
  };
  expect(pathsOf(sketch)).toEqual([
    'internet -leaked_credential-> ci -escalation-> deploy -data_access-> ledger 0.729',
    'internet -initial_access-> api -identity_of_code-> invoices -escalation-> deploy -data_access-> ledger 0.693',
  ]);
  expect(pointsOf(sketch)).toEqual([
    'deploy: Its own policy allows it: 2 1 1.422',
    'ci: leaked_credential: 1 0 0.729',
    'ci: Its own policy allows it: 1 0 0.729',
    'api: CVE-2021-44228 in org.apache.logging.log4j:log4j-core (known to be exploited): 1 0 0.693',
    'invoices: Its own policy allows it: 1 0 0.693',
    'api: public_endpoint: 1 0 0.693',
    'api: It runs as invoices: 1 0 0.693',
  ]);
});

it('two ways of one kind to one jewel are one path, and data that is open in another cloud is one more', () => {
  const sketch: Sketch = {
    assets: {
      ...{ one: 'gcp workload google_cloud_run_v2_service', other: 'gcp workload google_cloud_run_v2_service' },
      ...{
        account: 'gcp identity google_service_account',
        lake: 'gcp store google_storage_bucket',
        old: 'azure store azurerm_storage_account',
      },
    },
    edges: ['one runs_as account', 'other runs_as account', 'account may_access:read lake', 'internet may_access:read old'],
    exposed: { one: [443], other: [443] },
    holes: { one: LOG4SHELL, other: LOG4SHELL },
    jewels: { lake: 'high', old: 'low' },
  };
  const paths = pathsOf(sketch);
  expect(paths).toHaveLength(2);
  expect(paths[1]).toBe('internet -public_data-> old 0.950');
  // among the steps of the paths there is one way alone, the likeliest
  expect(pointsOf(sketch).filter((line) => line.startsWith('account') || line.startsWith('old'))).toEqual([
    'account: Its own policy allows it: 1 1 0.462',
    'old: Its own policy allows it: 1 1 0.095',
  ]);
});
