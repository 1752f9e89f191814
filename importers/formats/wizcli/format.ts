import { codePlace, imagePlace } from '../../normalize/artifact.js';
import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import { timeAt } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { SecretRanks } from '../../normalize/secret-finding.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import type { ImportOptions, ReportSource } from '../../types.js';
import type { WizcliContext } from './context.js';
import { MATCHES, readRuleMatch, RULE_PATHS } from './rule-match.js';
import { readSecret, secretPlaceOf, SECRETS } from './secret.js';
import { PACKAGE_PATHS, readVulnerability, VULNERABILITIES } from './vulnerability.js';

const ORIGIN = 'scanOriginResource';

async function contextOf(surroundings: Surroundings, options: ImportOptions, source: ReportSource): Promise<WizcliContext> {
  const origin = asObject(surroundings.value(ORIGIN));
  const name = textAt(origin, 'name');
  const isImage = /Image$/.test(textAt(origin, '__typename') ?? '');
  // a scan of code is called after the time at which it ran
  const root = /Directory$/.test(textAt(origin, '__typename') ?? '') ? name : undefined;
  const place =
    isImage && (options.artifact ?? name) !== undefined
      ? imagePlace(options.artifact ?? (name as string), options, { image_digest: textAt(origin, 'digest') })
      : codePlace({ root }, options);
  const context = { surroundings, place, isImage, root, ranks: new SecretRanks(), options };
  for await (const item of readJson(source, [SECRETS]))
    if (item.kind === 'value') context.ranks.see(secretPlaceOf(asObject(item.value) ?? {}, context));
  return context;
}

/**
 * What wizcli writes of a directory, an image or infrastructure code. A vulnerability of a package, a secret and a place that matches a rule
 * are a record each.
 */
export const format = jsonFormat<WizcliContext>({
  name: 'wizcli',
  label: 'wizcli JSON',
  engines: ['vulnerability', 'secops', 'check'],
  detection: 'A JSON object with `scanOriginResource`, `policies` and a `result` of wizcli, or with a `result` and a `status.verdict`.',
  produce: 'wizcli docker scan --image registry.example.com/app:1.0 --format json > report.json',
  outsideClouds: true,
  observedAt: timeAt('createdAt'),
  expected: 'a result of wizcli ({"scanOriginResource": ..., "status": {"verdict": ...}, "result": ...})',
  roots: ['object'],
  isOfFormat: (outline) =>
    (outline.has('scanOriginResource') && (outline.has('result') || outline.has('policies') || outline.has('status.verdict'))) ||
    (outline.has('status.verdict') && (outline.has('result') || outline.has('policies'))),
  markers: ['scanOriginResource', 'result', 'status.verdict'],
  records: [...VULNERABILITIES, SECRETS, MATCHES],
  around: [ORIGIN, ...PACKAGE_PATHS, ...RULE_PATHS],
  context: contextOf,
  covers: ({ place, options, isImage }) =>
    (isImage ? ['vulnerability', 'secops'] : ['vulnerability', 'secops', 'check']).map((engine) =>
      coverage(engine, place.resource_uid, 'wizcli', options),
    ),
  convert(record, item, context, items) {
    if (item.path === SECRETS) return readSecret(record, item, context, items);
    return item.path === MATCHES ? readRuleMatch(record, item, context, items) : readVulnerability(record, item, context, items);
  },
});
