import { cloudItems } from '../../normalize/cloud-finding.js';
import { cloudPlace } from '../../normalize/cloud-resource.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { safeId } from '../../normalize/observation.js';
import { wordsOf } from '../../normalize/plain-title.js';
import { toSeverity } from '../../normalize/severity.js';
import { asObject, BrokenRecord, compact, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';
import { matchedEvidence, matchedResource, type CustodianRun } from './resource.js';

const SOURCE = 'cloud custodian';

/** What is known of the policy that matched. */
interface CustodianContext extends CustodianRun {
  /** Its name; undefined where neither report nor folder tells it. */
  policy: string | undefined;
  declared: JsonObject | undefined;
  options: ImportOptions;
}

/** The folder of a policy's output is called as the policy is. */
function folderOf(filename: string | undefined): string | undefined {
  const name = filename?.split('/').at(-2);
  return name === undefined || /^(?:\.*|output|out|tmp)$/i.test(name) ? undefined : name;
}

/**
 * What policies of Cloud Custodian matched: the `resources.json` of a policy's output folder, and the messages that its notify action sends.
 * A matched resource is one record and fails the policy.
 */
export const format = jsonFormat<CustodianContext>({
  name: 'cloud_custodian',
  label: 'Cloud Custodian matched resources',
  engines: ['check'],
  detection: 'An array of resources with `c7n:MatchedFilters`, or a JSON object with a `policy` and its `resources`.',
  produce: 'custodian run --output-dir output policies.yml && zip -r output.zip output',
  expected: 'what a policy of Cloud Custodian matched ([{"c7n:MatchedFilters": [...], ...}] or {"policy": ..., "resources": [...]})',
  roots: ['array', 'object'],
  isOfFormat: (outline) =>
    outline.has('[].c7n:MatchedFilters') ||
    outline.has('resources[].c7n:MatchedFilters') ||
    (outline.has('policy.resource') && outline.has('policy.name') && outline.has('resources')),
  markers: ['[].c7n:MatchedFilters', 'policy', 'resources'],
  records: ['$[*]', 'resources[*]'],
  around: ['policy', 'account_id', 'region'],
  context(surroundings, options, source) {
    const declared = asObject(surroundings.value('policy'));
    return {
      declared,
      policy: textAt(declared, 'name') ?? folderOf(source.filename),
      account: surroundings.text('account_id') ?? options.account_id,
      region: surroundings.text('region') ?? options.region,
      options,
    };
  },
  covers: ({ policy, account }) =>
    policy === undefined
      ? []
      : [
          {
            kind: 'scope',
            scope: { engine: 'check', artifact: safeId(policy), source: SOURCE, ...(account !== undefined && { account_id: account }) },
          },
        ],
  convert(record, { position }, context, items) {
    const resource = matchedResource(record, context);
    if (resource === undefined) throw new BrokenRecord('the resource has no identifier that is known');
    const filters = textsAt(record, 'c7n:MatchedFilters');
    const policy = context.policy ?? (filters.length === 0 ? 'policy' : filters.join(', '));
    const description =
      textAt(context.declared, 'description') ?? textAt(context.declared, 'comment') ?? textAt(context.declared, 'comments');
    return cloudItems(
      {
        source: SOURCE,
        engine: 'check',
        ruleId: policy,
        title: textAt(context.declared, 'title') ?? wordsOf(policy),
        description,
        severity: toSeverity(textAt(objectAt(context.declared, 'metadata'), 'severity')) ?? 'medium',
        result: 'FAIL',
        // what another policy matched stays
        place: cloudPlace({ ...resource, artifact: policy }, context.options),
        detail: filters.length === 0 ? undefined : `Matched by ${filters.join(', ')}.`,
        evidence: compact({ policy, resource_kind: textAt(context.declared, 'resource'), ...matchedEvidence(record) }),
        position,
      },
      items,
    );
  },
});
