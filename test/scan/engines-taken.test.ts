import { NO_TENANT_RULES } from '../../kit/engine/tenant-rules.js';
import { PostureEvaluation, type Judged } from '../../subgraphs/scans/evaluation.js';
import { expandWholeCatalog } from '../catalog/whole-catalog.js';

const { rules } = expandWholeCatalog();
const byId = new Map(rules.map((rule) => [rule.rule_id, rule]));

it('a failure of an engine whose findings a run leaves out stands for no other', () => {
  const all = new PostureEvaluation({ scope: {}, taken: [], tenant: NO_TENANT_RULES, steps: 1_000 });
  const narrowed = new Map<string, PostureEvaluation>();
  let seen = 0;
  for (const rule of rules) {
    const across = (rule.implies ?? []).filter((id) => byId.get(id)!.engine !== rule.engine);
    if (across.length === 0 || '$companions' in rule.samples.fail) continue;
    const resource_type = rule.resource_types[0]!;
    // what fails both
    const asset = {
      ...{ resource_uid: rule.rule_id, resource_type, provider: rule.provider, region: 'eu-west-1', position: 'x' },
      ...{
        configuration: Object.assign({}, ...across.map((id) => byId.get(id)!.samples.fail), rule.samples.fail) as Record<string, unknown>,
        source: { format: 'terraform_plan', address: 'a.b' },
      },
    };
    const before = all.judge(asset);
    const raised = ({ failures }: Judged) => failures.map(({ rule_id }) => rule_id);
    for (const id of across.filter((one) => before.implied[one] === rule.rule_id)) {
      const { engine } = byId.get(id)!;
      const known = narrowed.get(engine) ?? new PostureEvaluation({ scope: {}, taken: [engine], tenant: NO_TENANT_RULES, steps: 1_000 });
      narrowed.set(engine, known);
      const after = known.judge(asset);
      expect([id, raised(before).includes(id)]).toEqual([id, false]);
      // it has a finding of its own, or one of the engine that is taken in stands for it
      expect([id, raised(after).includes(id) || byId.get(after.implied[id] ?? '')?.engine]).toEqual([
        id,
        raised(after).includes(id) || engine,
      ]);
      seen++;
    }
  }
  expect(seen).toBeGreaterThan(0);
});
