import { beforeAll, describe, expect, it } from '@jest/globals';
import { COMPARED, PRODUCT_NAMES, SPELLINGS } from '../../catalog/product-names.js';
import { providerOf, resourceLabel } from '../../catalog/resource-name.js';
import { textsOf } from '../../catalog/texts.js';
import type { ExpandedRule } from '../../catalog/types.js';
import { expandWholeCatalog } from './whole-catalog.js';

let rules: readonly ExpandedRule[];
let titles: ReadonlyMap<string, string>;

beforeAll(() => {
  const catalog = expandWholeCatalog();
  const families = new Map(catalog.sources.map(({ family }) => [family.family, family]));
  rules = catalog.rules;
  titles = new Map(rules.map((rule) => [rule.rule_id, textsOf(rule, families.get(rule.family)!).title]));
});

/** Rules whose title the pattern finds, with what it found. */
const having = (pattern: RegExp): string[] => [...titles].flatMap(([id, title]) => (pattern.test(title) ? [`${id}: ${title}`] : []));

/** What a resource that passes does: said of one without a "not" it is no defect. */
const VIRTUES =
  `audits authenticates blocks confines encrypts enforces forbids isolates monitors patches prevents protects redacts refuses rejects
  requires restricts rotates scans validates verifies withstands`.split(/\s+/);

describe('titles of rules', () => {
  it('state the defect, not the wish', () => {
    expect(having(/\b(?:should|must|ought|shall|ensures?|needs? to|it is recommended|best practice)\b/i)).toEqual([]);
    const label = new Map(rules.map((rule) => [rule.rule_id, resourceLabel(rule.resource_types[0]!, rule.provider)]));
    const faults = [...titles].filter(([id, title]) => {
      const [verb = '', next = ''] = title
        .slice(label.get(id)!.length)
        .replace(/^: [a-zA-Z -]+? (?=[a-z]+s )/, ' ')
        .trim()
        .split(' ');
      if (verb === 'is')
        return /^(?:encrypted|protected|backed|monitored|private|scanned|patched|hardened|guarded|signed|locked)$/.test(next);
      return VIRTUES.includes(verb) && !/\b(?:no|nobody|nothing|never|weakly)\b/.test(title);
    });
    expect(faults).toEqual([]);
  });

  it('name a setting without the state that it lacks', () => {
    expect(having(/: (?:enable )?(?:\S.*)? ?enabled?$|: enable /)).toEqual([]);
  });

  it('tell each rule of a type from the others', () => {
    const seen = new Map<string, string>();
    const twice = rules.flatMap(({ rule_id, resource_types }) =>
      resource_types.flatMap((type) => {
        const key = `${type}: ${titles.get(rule_id)!.toLowerCase()}`;
        const first = seen.get(key);
        seen.set(key, rule_id);
        return first === undefined ? [] : [`${first}, ${rule_id}: ${key}`];
      }),
    );
    expect(twice).toEqual([]);
  });

  it('double no word, are no longer than 150 characters, and name attributes in words', () => {
    expect(having(/(?<![\w-])([\w-]+(?: [\w-]+)?) \1(?![\w-])/i)).toEqual([]);
    expect(having(/^.{151}/)).toEqual([]);
    expect(having(/[`{}]|\[\]/)).toEqual([]);
  });

  it('have articles that fit, and verbs in agreement', () => {
    expect(having(/\ba (?!one|uni|use|Unix|user)[aeiou]\w/i)).toEqual([]);
    expect(having(/\ban (?!hour|honest|[FHLMNRSX][A-Z0-9])[^aeiou\W8]/i)).toEqual([]);
    expect(
      having(/\bdoes not [a-z]+s (?!to\b)/).filter(
        (fault) => !/does not (?:access|address|assess|pass|process|discuss|focus|express) /.test(fault),
      ),
    ).toEqual([]);
  });

  it('write products as their makers do', () => {
    const written = new Map(SPELLINGS.split(/\s+/).map((word) => [word.toLowerCase(), word]));
    // plain words that are products' names as well; a constraint, a flag, a path or a protocol is quoted as it is written
    const plain = new Set(['transfer', 'pin', 'detective', 'glue', 'lambda', 'is']);
    const faults = [...titles].flatMap(([id, title]) =>
      title
        .split(/ |\(|\)|,|:/)
        .filter((word) => /^[A-Za-z0-9]+$/.test(word) && !plain.has(word))
        .flatMap((word) => (written.has(word.toLowerCase()) && written.get(word.toLowerCase()) !== word ? [`${id}: ${word}`] : [])),
    );
    expect(faults.filter((fault) => !/: IDs$/.test(fault))).toEqual([]);
    const label = (type: string): string => resourceLabel(type, providerOf(type)!);
    expect(
      ['aws_sqs_queue', 'aws_ssm_parameter', 'aws_wafv2_web_acl', 'aws_msk_cluster', 'oci_opensearch_opensearch_cluster'].map(label),
    ).toEqual(['AWS SQS queue', 'AWS SSM parameter', 'AWS WAFv2 web ACL', 'AWS MSK cluster', 'OCI OpenSearch cluster']);
    expect(
      ['ibm_is_vpc', 'aws_secretsmanager_secret', 'google_cloud_run_service', 'aws_s3_bucket', 'kubernetes_cron_job_v1'].map(label),
    ).toEqual(['IBM Cloud VPC', 'AWS Secrets Manager secret', 'Google Cloud Run service', 'AWS S3 bucket', 'Kubernetes CronJob']);
  });
});

describe('the table of products', () => {
  it('has names that some type begins with', () => {
    const types = new Set(rules.flatMap(({ resource_types }) => resource_types));
    const idle = Object.entries(PRODUCT_NAMES).flatMap(([provider, names]) =>
      Object.keys(names).filter(
        (start) => ![...types].some((type) => providerOf(type) === provider && new RegExp(`^[a-z0-9]+_${start}(?:_|$)`).test(type)),
      ),
    );
    expect(idle).toEqual([]);
  });

  it('was compared with what the makers write less than a year ago', () => {
    expect(Date.now() - Date.parse(COMPARED)).toBeLessThan(366 * 86_400_000);
  });
});
