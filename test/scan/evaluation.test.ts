import { plan, planned, pod } from '../support/inventories.js';
import { finding, findings, results, ruleOf, type Page, type PostureFinding, type RuleItem } from '../support/posture.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { SEGMENTS } from '../engines/image.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const analyst = async () => (await world.tenant()).as('analyst');
const VOLUME = 'aws_ebs_volume.data';
const BUCKET = 'aws_s3_bucket.b';
const BLOCK = 'aws_s3_bucket_public_access_block.b';

interface Evidence {
  expression: string;
  attribute: string | null;
  actual: unknown;
  expected: string;
  address: string;
  status_detail: string;
  implied?: string[];
}
const evidence = async (client: Client, { engine, finding_id }: PostureFinding) => {
  const path = `/api/v1/views/finding/${engine}/${finding_id}`;
  const { body, text } = await client.call<{ finding: { findingData: Evidence } }>(path);
  return { data: body.finding.findingData, text };
};
const verdicts = async (client: Client, ruleId: string) =>
  Object.fromEntries((await results(client, ruleId)).items.map(({ resource_uid, result }) => [resource_uid, result]));

describe('an imported plan', () => {
  it('raises a finding for each rule that a resource fails and that no other stands for, of the rule’s title and severity, and none for one that it passes', async () => {
    const client = await analyst();
    const run = await client.import(plan({ [VOLUME]: { encrypted: false } }), { scan_run_id: 'first' });
    const found = await findings(client);
    expect(run).toMatchObject({ state: 'COMPLETED', format: 'terraform_plan', total_findings: found.length });
    expect(run.counts).toMatchObject({ records: 1, new: found.length, updated: 0, resolved: 0, regressed: 0 });
    const { body } = await client.call<Page<RuleItem>>('/api/v1/rules?source=palisade&resource_type=aws_ebs_volume');
    const said = await Promise.all(body.items.map(async ({ rule_id }) => [rule_id, (await verdicts(client, rule_id))[planned(VOLUME)]]));
    const implied = (await Promise.all(found.map((one) => evidence(client, one)))).flatMap(({ data }) => data.implied ?? []);
    expect([...found.map(({ rule_id }) => rule_id), ...implied].sort()).toEqual(
      said.flatMap(([id, result]) => (result === 'FAIL' ? [id] : [])).sort(),
    );
    const rule = await ruleOf(client, 'encryption_at_rest', 'aws_ebs_volume');
    expect(await finding(client, `rule_id=${rule.rule_id}`)).toMatchObject({
      title: rule.title,
      severity: rule.severity,
      status: 'OPEN',
      resource_uid: planned(VOLUME),
      resource_type: 'aws_ebs_volume',
      scan_run_id: 'first',
    });
  });

  it('says in the evidence what was asked, where, what stood there, and what should', async () => {
    const client = await analyst();
    await client.import(plan({ [VOLUME]: { encrypted: false } }));
    const rule = await ruleOf(client, 'encryption_at_rest', 'aws_ebs_volume');
    const { data } = await evidence(client, await finding(client, `rule_id=${rule.rule_id}`));
    expect(data).toMatchObject({
      expression: rule['expression'],
      attribute: 'encrypted',
      actual: false,
      expected: rule['expected'],
      address: VOLUME,
    });
    expect(data.status_detail).toContain('`encrypted` is `false`');
  });

  it('shows nothing of what the plan marks sensitive, or of what is a secret', async () => {
    const client = await analyst();
    const secret = 'correct-horse-battery-staple';
    const address = 'aws_db_instance.orders';
    await client.import(
      plan(
        { [address]: { password: secret, publicly_accessible: 'perhaps' } },
        { sensitive: { [address]: { publicly_accessible: true } } },
      ),
    );
    const leaked = await ruleOf(client, 'plaintext_secret', 'aws_db_instance');
    for (const found of await findings(client)) {
      const { data, text } = await evidence(client, found);
      expect(text).not.toContain(secret);
      expect(text).not.toContain('perhaps');
      if (found.rule_id === leaked.rule_id) expect(data).toMatchObject({ attribute: 'password', actual: '[REDACTED]' });
    }
    expect(await finding(client, `rule_id=${leaked.rule_id}`)).toMatchObject({ status: 'OPEN' });
  });

  it('cannot tell of a switch that is redacted whether it is on', async () => {
    const client = await analyst();
    await client.import(plan({ [VOLUME]: { encrypted: true } }, { sensitive: { [VOLUME]: { encrypted: true } } }));
    const { rule_id } = await ruleOf(client, 'encryption_at_rest', 'aws_ebs_volume');
    expect(await verdicts(client, rule_id)).toEqual({ [planned(VOLUME)]: 'NOT_EVALUATED' });
  });

  it('feeds the engine that each rule names, and check where that engine does not exist', async () => {
    const client = await analyst();
    await client.import(plan({ [VOLUME]: { encrypted: false }, [BUCKET]: { bucket: 'b', acl: 'public-read' } }));
    await client.import({ ...pod('web', { privileged: true }) });
    const found = await findings(client);
    const engines = new Set<string>();
    for (const { rule_id, engine } of found) {
      const { body } = await client.call<RuleItem>(`/api/v1/rules/${rule_id}`);
      expect({ rule_id, engine, source: body.source }).toEqual({
        rule_id,
        engine: SEGMENTS.includes(body.engine) ? body.engine : 'check',
        source: 'palisade',
      });
      engines.add(body.engine);
    }
    expect([...engines]).toEqual(expect.arrayContaining(['check', 'encryption', 'network-security', 'container-security']));
  });
});

describe('an imported manifest', () => {
  it('raises findings of container-security for a privileged container, and resolves them when it is mended', async () => {
    const client = await analyst();
    const rule = await ruleOf(client, 'container_privilege', 'kubernetes_pod');
    const { body } = await client.call<Page<RuleItem>>(
      '/api/v1/rules?family=container_privilege&resource_type=kubernetes_pod&q=privileged_container',
    );
    const { rule_id, severity, title } = body.items.find(({ rule_id: id }) => id.endsWith('.privileged_container'))!;
    expect(rule.engine).toBe('container-security');
    await client.import(pod('web', { privileged: true }));
    const open = await finding(client, `rule_id=${rule_id}`);
    expect(open).toMatchObject({ engine: 'container-security', status: 'OPEN', severity, title, resource_type: 'kubernetes_pod' });
    await client.import(pod('web', { privileged: false }));
    expect(await finding(client, `rule_id=${rule_id}`)).toMatchObject({ finding_id: open.finding_id, status: 'RESOLVED' });
  });
});

describe('a rule that looks at companions', () => {
  const ON = { block_public_acls: true, block_public_policy: true, ignore_public_acls: true, restrict_public_buckets: true };
  const says = async (report: unknown) => {
    const client = await analyst();
    await client.import(report);
    const { rule_id } = await ruleOf(client, 'public_access_block', 'aws_s3_bucket');
    const open = await findings(client, `rule_id=${rule_id}&status=OPEN`);
    const result = (await verdicts(client, rule_id))[planned(BUCKET)];
    expect(open).toHaveLength(result === 'FAIL' ? 1 : 0);
    return result;
  };

  it('fails a bucket without a public access block', async () => {
    expect(await says(plan({ [BUCKET]: { bucket: 'logs' } }))).toBe('FAIL');
  });

  it('passes one whose block names it', async () => {
    expect(await says(plan({ [BUCKET]: { bucket: 'logs' }, [BLOCK]: { bucket: 'logs', ...ON } }))).toBe('PASS');
    expect(await says(plan({ [BLOCK]: { bucket: 'logs', ...ON }, [BUCKET]: { bucket: 'logs' } }))).toBe('PASS');
  });

  it('fails one whose block is of another bucket, or half open', async () => {
    expect(await says(plan({ [BUCKET]: { bucket: 'logs' }, [BLOCK]: { bucket: 'other', ...ON } }))).toBe('FAIL');
    expect(await says(plan({ [BUCKET]: { bucket: 'logs' }, [BLOCK]: { bucket: 'logs', ...ON, ignore_public_acls: false } }))).toBe('FAIL');
  });

  it('follows the reference in the plan’s configuration where the name is not known yet', async () => {
    const unknown = { [BUCKET]: { bucket: true }, [BLOCK]: { bucket: true } };
    const resources = { [BUCKET]: {}, [BLOCK]: ON };
    expect(await says(plan(resources, { unknown, references: { [BLOCK]: { bucket: BUCKET } } }))).toBe('PASS');
    expect(await says(plan(resources, { unknown, references: { [BLOCK]: { bucket: 'aws_s3_bucket.other' } } }))).toBe('FAIL');
  });
});
