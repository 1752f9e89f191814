import { describe, expect, it } from '@jest/globals';
import { sampleVerdict } from '../../catalog/samples.js';
import type { ExpandedRule } from '../../catalog/types.js';
import { expandWholeCatalog } from './whole-catalog.js';

type Configuration = Record<string, unknown>;

const { rules } = expandWholeCatalog();
const byId = new Map(rules.map((rule) => [rule.rule_id, rule]));
const resultOf = (rule: ExpandedRule, sample: Configuration): string => sampleVerdict(rule, sample).result;
const isObject = (value: unknown): value is Configuration => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy in which every value is what `change` makes of it, from the leaves up. */
function changed(value: unknown, change: (value: unknown, name: string) => unknown, name = ''): unknown {
  const inner = Array.isArray(value)
    ? value.map((one) => changed(one, change, name))
    : isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one, change, key)]))
      : value;
  return change(inner, name);
}
const changedSample = (sample: Configuration, change: (value: unknown, name: string) => unknown): Configuration =>
  changed(sample, change) as Configuration;

/** Rules of a type whose words are exchanged, with the same end of the id. */
const TWINS: readonly (readonly [RegExp, string])[] = [
  [/^(azure\.)linux\.(.*)$/, '$1windows.$2'],
  [/^(azure\.(?:linux|windows)\.(?:web|function)_app)\.(.*)$/, '$1_slot.$2'],
  // what rolls an update out has other fields
  [/^(k8s\.)deployment\.(?!rolling_update)(.*)$/, '$1stateful.set.$2'],
  [/^(k8s\.)deployment\.(?!rolling_update)(.*)$/, '$1daemon.set.$2'],
  [/^(k8s\.)deployment\.(.*)$/, '$1replica.set.$2'],
  [/^(k8s\.)deployment\.(.*)$/, '$1replication.controller.$2'],
  [/^(aws\.)iam\.role_policy\.(.*)$/, '$1iam.user_policy.$2'],
  [/^(aws\.)iam\.role_policy\.(.*)$/, '$1iam.group_policy.$2'],
  [/^(aws\.)iam\.role_policy\.(.*)$/, '$1iam.policy.$2'],
  [/^(aws\.)security\.group\.(open_port\..*)$/, '$1default.security_group.$2'],
  [/^(gcp\.)project\.(iam_(?:member|binding|policy)\..*)$/, '$1folder.$2'],
  [/^(gcp\.)compute\.(ssl_policy\..*|backend_service\..*)$/, '$1compute.region_$2'],
];

describe('twins', () => {
  const pairs = TWINS.flatMap(([from, to]) =>
    rules.flatMap((rule) => {
      const twin = from.test(rule.rule_id) ? byId.get(rule.rule_id.replace(from, to)) : undefined;
      return twin === undefined || twin.family !== rule.family ? [] : [[rule, twin] as const];
    }),
  );

  it('say the same of the same configuration', () => {
    const faults = pairs.flatMap(([rule, twin]) =>
      (['pass', 'fail'] as const).flatMap((which) => {
        const [one, other] = [resultOf(rule, rule.samples[which]), resultOf(twin, rule.samples[which])];
        return one === other ? [] : [`${rule.rule_id} says ${one}, ${twin.rule_id} ${other}`];
      }),
    );
    expect(pairs.length).toBeGreaterThan(600);
    expect(faults).toEqual([]);
  });
});

describe('policies', () => {
  /** Conditions that anybody meets, or that callers choose. */
  const IDLE: readonly Configuration[] = [
    { StringLike: { 'aws:UserAgent': '*' } },
    { StringEquals: { 'aws:UserAgent': 'our-client' } },
    { StringLike: { 'aws:Referer': 'https://example.com/*' } },
    { 'ForAllValues:StringEquals': { 'aws:PrincipalOrgID': 'o-1' } },
    { StringEqualsIfExists: { 'aws:PrincipalOrgID': 'o-1' } },
    { StringLike: { 'aws:PrincipalOrgID': '*' } },
    { IpAddress: { 'aws:SourceIp': '0.0.0.0/0' } },
    { StringNotEquals: { 'aws:PrincipalOrgID': 'o-1' } },
    { Null: { 'aws:PrincipalOrgID': 'false' } },
  ];
  const NARROW: readonly Configuration[] = [
    { StringEquals: { 'aws:PrincipalOrgID': 'o-1a2b3c4d5e' } },
    { StringEquals: { 'aws:SourceVpce': 'vpce-1a2b3c4d' } },
    { StringEquals: { 'aws:PrincipalAccount': '111122223333' } },
    { 'ForAllValues:StringEquals': { 'aws:PrincipalOrgPaths': 'o-1/r-1/*' }, Null: { 'aws:PrincipalOrgPaths': 'false' } },
  ];
  const own = rules.filter(
    ({ family, provider, rule_id, samples }) =>
      family === 'policy_wildcard_principal' &&
      provider === 'aws' &&
      rule_id.endsWith('.policy_wildcard_principal') &&
      JSON.stringify(samples.fail).includes('\\"Statement\\"'),
  );
  const under = ({ samples }: ExpandedRule, condition: Configuration): Configuration =>
    changedSample(samples.fail, (value) => {
      if (typeof value !== 'string' || !value.includes('"Statement"')) return value;
      const document = JSON.parse(value) as { Statement: Configuration | Configuration[] };
      return JSON.stringify({ ...document, Statement: [document.Statement].flat().map((one) => ({ ...one, Condition: condition })) });
    });

  it.each(IDLE.map((condition) => [JSON.stringify(condition), condition] as const))(
    'for everybody are not narrowed by %s',
    (_, condition) => {
      const faults = own.filter((rule) => resultOf(rule, under(rule, condition)) !== 'FAIL');
      expect(own.length).toBeGreaterThan(20);
      expect(faults.map(({ rule_id }) => rule_id)).toEqual([]);
    },
  );

  it.each(NARROW.map((condition) => [JSON.stringify(condition), condition] as const))(
    'for everybody are narrowed by %s',
    (_, condition) => {
      expect(own.filter((rule) => resultOf(rule, under(rule, condition)) === 'FAIL').map(({ rule_id }) => rule_id)).toEqual([]);
    },
  );

  it('are read alike however their text is laid out, and whether it is text at all', () => {
    const documents = rules.filter(({ rule_id, samples }) => /polic/.test(rule_id) && /\\"Statement\\"/.test(JSON.stringify(samples)));
    const layouts: readonly ((text: string) => unknown)[] = [
      (text) => `\n${JSON.stringify(JSON.parse(text), null, 4)}\n`,
      (text) => `\${jsonencode(${text})}`,
      (text) => JSON.parse(text) as unknown,
    ];
    const faults = documents.flatMap((rule) =>
      layouts.flatMap((layout, i) => {
        const sample = changedSample(rule.samples.fail, (value) =>
          typeof value === 'string' && value.startsWith('{"') && value.includes('"Statement"') ? layout(value) : value,
        );
        const result = resultOf(rule, sample);
        return result === 'FAIL' ? [] : [`${rule.rule_id}, layout ${i}: ${result}`];
      }),
    );
    expect(documents.length).toBeGreaterThan(500);
    expect(faults).toEqual([]);
  });
});

describe('roles of Kubernetes', () => {
  it('keep their wildcards when resources are named', () => {
    const own = rules.filter(({ family, samples }) => family === 'kubernetes_rbac' && Array.isArray(samples.fail['rule']));
    const faults = own.filter((rule) => {
      const named = (rule.samples.fail['rule'] as Configuration[]).map((one) => ({ ...one, resource_names: ['one'] }));
      const isWildcard = named.some((one) => JSON.stringify(one).includes('"*"'));
      return isWildcard && resultOf(rule, { ...rule.samples.fail, rule: named }) !== 'FAIL';
    });
    expect(own.length).toBeGreaterThan(20);
    expect(faults.map(({ rule_id }) => rule_id)).toEqual([]);
  });
});

describe('containers', () => {
  it('are all looked at, whichever of them is at fault', () => {
    const own = rules.filter(
      ({ provider, family, samples }) =>
        provider === 'k8s' && family.startsWith('container_') && /"container":\[\{/.test(JSON.stringify(samples.fail)),
    );
    const faults = own.flatMap((rule) => {
      const good = JSON.stringify(rule.samples.pass).match(/"container":\[\{/) ? firstContainer(rule.samples.pass) : undefined;
      if (good === undefined) return [];
      const second = changedSample(rule.samples.fail, (value, name) =>
        name === 'container' && Array.isArray(value) ? [good, ...value] : value,
      );
      const result = resultOf(rule, second);
      return result === 'FAIL' ? [] : [`${rule.rule_id}: ${result}`];
    });
    expect(own.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });
});

/** The first container of a workload's configuration. */
function firstContainer(sample: Configuration): unknown {
  let first: unknown;
  changed(sample, (value, name) => {
    if (name === 'container' && Array.isArray(value)) first ??= value[0];
    return value;
  });
  return first;
}

describe('values', () => {
  it('that are numbers and truths count as texts, too', () => {
    const own = rules.filter(({ path, expression }) => path !== undefined && !/companions\(|resources\(/.test(expression));
    const faults = own.flatMap((rule) =>
      (['pass', 'fail'] as const).flatMap((which) => {
        const sample = rule.samples[which];
        const text = changedSample(sample, (value) => (typeof value === 'boolean' || typeof value === 'number' ? String(value) : value));
        if (JSON.stringify(text) === JSON.stringify(sample)) return [];
        const result = resultOf(rule, text);
        return result === which.toUpperCase() ? [] : [`${rule.rule_id}: ${which} as text is ${result}`];
      }),
    );
    expect(own.length).toBeGreaterThan(5_000);
    expect(faults).toEqual([]);
  });

  it('that are empty are as good as absent', () => {
    const own = rules.filter(({ path = '' }) => /^\w+$/.test(path));
    const faults = own.flatMap((rule) => {
      const { [rule.path!]: _value, ...without } = rule.samples.fail;
      const absent = resultOf(rule, without);
      const differing = [null, '', []].filter((empty) => resultOf(rule, { ...without, [rule.path!]: empty }) !== absent);
      return differing.length === 0 ? [] : [`${rule.rule_id}: absent is ${absent}, and not so ${JSON.stringify(differing)}`];
    });
    expect(own.length).toBeGreaterThan(3_000);
    expect(faults).toEqual([]);
  });
});
