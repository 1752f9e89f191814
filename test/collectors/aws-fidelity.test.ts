import { join } from 'node:path';
import { createAwsCollector } from '../../collectors/aws/collector.js';
import { checkInventory } from '../../catalog/check-file.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes } from '../../catalog/inventory.js';
import type { AssetInput, ImportItem } from '../../importers/types.js';
import { systemClock } from '../../kit/base/clock.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { findSources } from '../../sources/find.js';
import { expandWholeCatalog } from '../catalog/whole-catalog.js';
import { readAll } from '../importers/read-all.js';
import { ACCOUNT, makeEstate, makeIdentities } from '../support/aws-estate.js';
import { makeMore } from '../support/aws-estate-more.js';
import { motoServer, startMoto, type Moto } from '../support/moto.js';
import { needing } from '../support/shared.js';
import { recordedOf } from './recorded.js';

// The same things as Terraform and as moto tells them: what rules say of the one they say of the other, wherever both are told well enough.
const REGION = 'eu-west-1';
const rules = expandWholeCatalog().rules.filter(({ provider }) => provider === 'aws');
const set = new RuleSet(rules);
const companions = companionTypes(rules);

/** Which of several things of a type is the one that Terraform names. */
const WHICH: Readonly<Record<string, (asset: AssetInput) => boolean>> = {
  ...Object.fromEntries(['iam_user/user-0', 's3_bucket/ledger-eu-west-1', 'security_group/open', 'db_snapshot/by-hand'].map(named)),
  ...Object.fromEntries(['cloudwatch_log_group//app/0'].map(named)),
  aws_vpc: ({ configuration }) => configuration?.['cidr_block'] === '10.0.0.0/16',
  aws_subnet: ({ configuration }) => configuration?.['cidr_block'] === '10.0.0.0/24',
  aws_ebs_volume: ({ configuration }) => configuration?.['size'] === 8 && configuration['encrypted'] === true,
  aws_ebs_snapshot: ({ configuration }) => configuration?.['description'] === 'made here',
  aws_kms_key: ({ configuration }) => configuration?.['description'] === 'ours',
};
function named(text: string): [string, (asset: AssetInput) => boolean] {
  const [type, ...name] = text.split('/');
  return [`aws_${type}`, (asset) => asset.resource_name === name.join('/')];
}

/** Reason -> the rules that say something else of what runs than of what was written. */
const APART: Readonly<Record<string, readonly string[]>> = {
  'Terraform and the interface create it with another default': [
    'aws.iam.account_password_policy.users_may_change',
    'aws.elb.high_availability_cross_zone',
    'aws.cloudtrail.logging_on',
  ],
  'Terraform leaves out what AWS then chooses: a group, a network and its access list, a key, a policy, a version, how long backups and logs are kept':
    [
      'aws.subnet.network_acl',
      'aws.elb.security_groups',
      'aws.elb.private_network',
      'aws.db.instance.security_groups',
      'aws.db.instance.supported_version_log_fdw',
      'aws.db.instance.supported_version_postgres',
      'aws.dynamodb.table.backup_retention',
      'aws.ebs.volume.customer_managed_key',
      'aws.opensearch.domain.supported_version_engine',
      'aws.kms.key.key_policy_stated',
      'aws.sqs.queue.encryption_at_rest',
      'aws.cloudwatch.log_group.log_retention_stated',
      'aws.cloudwatch.log_group.log_retention_year',
    ],
  'in Terraform it is a resource of its own, which has the finding': [
    'aws.s3.bucket.policy_secure_transport',
    'aws.s3.bucket.policy_wildcard_principal',
    'aws.s3.bucket.versioning_mfa_delete',
    'aws.sns.topic.policy_secure_transport',
    'aws.db.snapshot.encryption_at_rest',
  ],
  'moto chooses what AWS does not': [
    'aws.db.instance.certificate_validity',
    'aws.opensearch.domain.encryption_in_transit_client_connections',
    'aws.lambda.function.monitoring_tracing',
    'aws.eks.cluster.logging_api',
    'aws.eks.cluster.supported_version_kubernetes',
    'aws.eks.node_group.ssh_key',
    'aws.eks.node_group.remote_access',
    'aws.eks.node_group.supported_version_ami',
    'aws.eks.node_group.supported_version_kubernetes',
  ],
};

type Verdicts = Map<string, string>;
async function verdictsOf(source: { format: string; read(): AsyncIterable<ImportItem> }, wants: (asset: AssetInput) => boolean) {
  const found = new Map<string, Verdicts>();
  await checkInventory(
    source,
    set,
    companions,
    ({ asset, evaluations }) => void found.set(asset.resource_type, new Map(evaluations.map(({ rule, result }) => [rule.rule_id, result]))),
    wants,
  );
  return found;
}

const outbound = createOutbound(['127.0.0.1/32']);
let moto: Moto;
const script = motoServer();

needing(script).describe('things of AWS (needs moto of PyPI, skipped where it cannot be had)', () => {
  let planned: Map<string, Verdicts>;
  let live: Map<string, Verdicts>;
  beforeAll(async () => {
    moto = await startMoto(script!);
    const role = await makeIdentities(moto.url);
    await makeEstate(moto.url, REGION, role);
    await makeMore(moto.url, REGION, role);
    const collector = createAwsCollector({ outbound, clock: systemClock, identity: null, endpoint: moto.url, pauses: [1] });
    const connection = {
      method: 'secret',
      values: { access_key_id: 'AKIAOFTHEACCOUNT0000', secret_access_key: 'x' },
      external_id: null,
    } as const;
    const { told } = await recordedOf(collector, { provider: 'aws', account_id: ACCOUNT, regions: [REGION], services: [], connection });
    const { items } = await readAll('cloud_api_responses', told.map((record) => JSON.stringify(record)).join('\n'), {
      account_id: ACCOUNT,
    });
    const read = async function* (): AsyncGenerator<ImportItem> {
      yield* items;
    };
    live = await verdictsOf({ format: 'cloud_api_responses', read }, (asset) => (WHICH[asset.resource_type] ?? (() => true))(asset));
    const { sources } = await findSources([join(__dirname, 'fidelity')], { readInput: () => Promise.resolve(Buffer.from('')) });
    planned = await verdictsOf(sources[0]!, ({ source }) => source.address.endsWith('.one'));
  });
  afterAll(async () => {
    await moto?.stop();
    await outbound.close();
  });

  it('are judged alike where both tell enough of them, but for what is listed with its reason', () => {
    const alike = new Set<string>();
    const apart: string[] = [];
    for (const [type, verdicts] of planned)
      for (const [rule, verdict] of verdicts) {
        const told = live.get(type)?.get(rule);
        if (told === verdict) {
          if (verdict === 'PASS' || verdict === 'FAIL') alike.add(type);
        } else if (told !== 'NOT_EVALUATED' && verdict !== 'NOT_EVALUATED') apart.push(rule);
      }
    expect(apart.sort()).toEqual(Object.values(APART).flat().sort());
    expect(alike.size).toBeGreaterThanOrEqual(60);
  });

  it('are all told by both', () => {
    expect(planned.size).toBeGreaterThanOrEqual(65);
    expect([...planned.keys()].filter((type) => !live.has(type))).toEqual([]);
  });
});
