import { BrokenRecord, numberAt, objectAt, objectsAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { toReferences, type ObservationDraft, type PlaceDraft, type ReportItems } from '../../normalize/observation.js';
import type { SarifRun } from './run.js';
import { sarifMarkdown, sarifMessage, sarifSeverity, sarifText, type SarifRule } from './rule.js';
import { discriminatorOf, secretDiscriminator, withoutQuotes } from './identity.js';
import { locationText, placeOf, stepsOf } from './location.js';
import { sarifResource, sarifTool } from './place.js';
import { profiledSeverity, profiledTitle, type SarifFacts } from './profiles.js';
import { sarifVulnerability } from './vulnerability.js';
import type { SarifResource } from './run.js';
import { cweControls, findCves, findCwes } from '../../normalize/taxonomy.js';
import type { ImportItem, ImportOptions } from '../../types.js';

const SECRET_TOOLS = /gitleaks|trufflehog|detect.?secrets|secret|ggshield|gitguardian|noseyparker|whispers|talisman/i;
const MAX_SNIPPET = 2000;

/** Turns one result (SARIF 2.1.0 section 3.27) into its rule (the first time) and its observation. */
export function readSarifResult(
  result: JsonObject,
  position: string,
  run: SarifRun,
  options: ImportOptions,
  items: ReportItems,
): ImportItem[] {
  const rule = ruleOf(result, run);
  const named = textAt(result, 'ruleId') ?? textAt(objectAt(result, 'rule'), 'id') ?? rule?.id;
  const message = sarifMessage(result, rule);
  if (named === undefined && message === undefined) throw new BrokenRecord('message is missing, and so is ruleId');
  // The specification lets a result name no rule: then the tool is all that is known of it.
  const ruleId = named ?? `${(run.driver.name ?? 'sarif').toLowerCase()}-result`;
  const location = objectsAt(result, 'locations')[0];
  const verdict = verdictOf(result);
  if (verdict === 'none') return [];
  const resource = (run.resource ??= sarifResource(run, options));
  const place = placeOf(location, run);
  const tool = run.driver.name ?? 'sarif';
  const hidesCode = SECRET_TOOLS.test(tool) || SECRET_TOOLS.test(ruleId) || (rule?.isSecret ?? false);
  const said = hidesCode ? withoutQuotes(message, place.snippet) : message;
  const level = textAt(result, 'level') ?? rule?.level;
  const facts: SarifFacts = { tool, ruleId, rule, message: said, level, properties: objectAt(result, 'properties') };
  const vulnerability = sarifVulnerability(facts, place);
  const title = vulnerability?.title ?? profiledTitle(facts) ?? ruleId;
  const ownCwes = taxaOf(result).filter((id) => rule?.cwes.includes(id) !== true);
  const cwes = [...(rule?.cwes ?? []), ...ownCwes];
  const fix = objectsAt(result, 'fixes')[0];
  const urls = toReferences([textAt(result, 'hostedViewerUri'), ...textsAt(objectAt(result, 'properties'), 'references')]);
  const about = {
    severity: profiledSeverity(facts) ?? sarifSeverity(result, rule),
    description: rule?.description ?? said,
    // the Markdown of the rule's help stands with the rule alone: it is long, and the same for all of its findings
    remediation: {
      guidance: sarifText(fix, 'description') ?? vulnerability?.guidance ?? rule?.guidance,
      markdown: sarifMarkdown(fix, 'description'),
    },
    references: [...(rule?.references ?? []), ...urls],
    controls: [...(rule?.controls ?? []), ...cweControls(ownCwes)],
    mitre_techniques: rule?.techniques ?? [],
  };
  const content = `${verdict}\n${message ?? ''}\n${locationText(place)}:${place.column ?? ''}`;
  // digests of the code around a secret were stored before
  const discriminator = discriminatorOf(result, place, message);
  const draft: ObservationDraft = {
    about,
    place: resourceFields(resource, place.file, options),
    engine: 'secops',
    result: verdict,
    rule_id: ruleId,
    title,
    source: sarifTool(run),
    discriminator: hidesCode ? secretDiscriminator(result, place) : discriminator,
    formerDiscriminator: hidesCode ? discriminator : undefined,
    cvss: vulnerability?.cvss,
    evidence: {
      kind: hidesCode ? 'secret' : undefined,
      message: said,
      tool,
      tool_version: run.driver.version,
      file: place.file,
      start_line: place.line,
      end_line: place.endLine,
      start_column: place.column,
      logical_location: place.logical,
      snippet: hidesCode ? undefined : place.snippet?.slice(0, MAX_SNIPPET),
      level,
      result_kind: textAt(result, 'kind'),
      security_severity: textAt(objectAt(result, 'properties'), 'security-severity') ?? rule?.securitySeverity,
      precision: textAt(objectAt(result, 'properties'), 'precision'),
      cwes,
      cves: findCves([ruleId, said ?? '', rule?.title ?? '']),
      tags: rule?.tags,
      fingerprints: hidesCode ? undefined : (objectAt(result, 'partialFingerprints') ?? objectAt(result, 'fingerprints')),
      baseline_state: textAt(result, 'baselineState'),
      other_locations: objectsAt(result, 'locations')
        .slice(1, 10)
        .map((other) => locationText(placeOf(other, run))),
      related_locations: objectsAt(result, 'relatedLocations')
        .slice(0, 10)
        .map((other) => locationText(placeOf(other, run))),
      steps: stepsOf(result, run),
      repository: run.repository,
      revision: run.revision,
      branch: run.branch,
      ...vulnerability?.evidence,
    },
    position,
    content,
  };
  return items.of(ruleId, draft, () => ({
    ...about,
    description: rule?.description,
    remediation: { guidance: rule?.guidance, markdown: rule?.markdown },
    rule_id: ruleId,
    engine: 'secops',
    title: rule?.title === undefined ? ruleId : (profiledTitle(facts) ?? ruleId),
    source: sarifTool(run),
    tags: rule?.tags,
  }));
}

/**
 * The rule of a result by reference, index or id; an id like `CA1000/1` also means the rule `CA1000` (section 3.52.4). A
 * result that names none may begin its message with a rule's id, as those of old secret scanners do.
 */
function ruleOf(result: JsonObject, run: SarifRun): SarifRule | undefined {
  const reference = objectAt(result, 'rule');
  const component = run.extensions[numberAt(objectAt(reference, 'toolComponent'), 'index') ?? -1] ?? run.driver;
  const index = numberAt(reference, 'index') ?? numberAt(result, 'ruleIndex') ?? -1;
  const id = textAt(result, 'ruleId') ?? textAt(reference, 'id');
  const indexed = component.rules[index];
  if (indexed !== undefined && (id === undefined || id === indexed.id || id.startsWith(`${indexed.id}/`))) return indexed;
  if (id === undefined) {
    const message = sarifText(result, 'message');
    return indexed ?? component.rules.find((rule) => rule !== undefined && message?.startsWith(`${rule.id} `) === true);
  }
  for (const name of [id, id.slice(0, Math.max(id.lastIndexOf('/'), 0))]) {
    for (const { byId } of [component, run.driver, ...run.extensions]) {
      const found = byId.get(name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/**
 * `pass`, and what a baseline shows as gone (`absent`), closes; `notApplicable` and suppressed results say nothing; `fail`,
 * `open`, `review` and `informational` stand. A result is suppressed by an accepted suppression without any under review or
 * rejected (section 3.27.23); a suppression without a status is accepted.
 */
function verdictOf(result: JsonObject): 'FAIL' | 'PASS' | 'none' {
  const kind = textAt(result, 'kind');
  const states = objectsAt(result, 'suppressions').map(
    (suppression) => textAt(suppression, 'status') ?? textAt(suppression, 'state') ?? 'accepted',
  );
  if (kind === 'notApplicable' || (states.length > 0 && states.every((state) => state === 'accepted'))) return 'none';
  return kind === 'pass' || textAt(result, 'baselineState') === 'absent' ? 'PASS' : 'FAIL';
}

function resourceFields(resource: SarifResource, file: string | undefined, options: ImportOptions): PlaceDraft {
  return {
    resource_uid: resource.uid,
    resource_type: resource.type,
    resource_name: file ?? resource.uid,
    provider: resource.provider,
    account_id: options.account_id,
    region: options.region,
    artifact: resource.uid,
    provider_metadata: resource.metadata,
  };
}

function taxaOf(result: JsonObject): string[] {
  return findCwes([
    ...objectsAt(result, 'taxa').flatMap((taxon) => textAt(taxon, 'id') ?? []),
    ...textsAt(objectAt(result, 'properties'), 'cwe'),
    ...textsAt(objectAt(result, 'properties'), 'tags'),
  ]);
}
