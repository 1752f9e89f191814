import { cloudItems } from '../../normalize/cloud-finding.js';
import { cloudPlace } from '../../normalize/cloud-resource.js';
import type { ReportItems } from '../../normalize/observation.js';
import { plainHtml } from '../../normalize/plain-html.js';
import { firstSentence, wordsOf } from '../../normalize/plain-title.js';
import { severityOfScore } from '../../normalize/severity.js';
import {
  BrokenRecord,
  compact,
  member,
  numberAt,
  objectsAt,
  requireText,
  textAt,
  textsAt,
  type JsonObject,
} from '../../readers/json/fields.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** What the scores of a report share. */
export interface SecureScoreContext {
  /** By the control's name in small letters. */
  profiles: ReadonlyMap<string, JsonObject>;
  /** The tenant of each score. */
  tenants: ReadonlyMap<string, string>;
  /** The score that counts; undefined where none says when it was made. */
  latest: string | undefined;
  scoreOf(item: JsonValueItem): string;
  options: ImportOptions;
}

/** States in which somebody set a control aside. */
const SET_ASIDE = new Set(['ignored', 'thirdparty']);

/** Turns the score of a control into its rule (the first time) and its observation. */
export function readControlScore(record: JsonObject, item: JsonValueItem, context: SecureScoreContext, items: ReportItems): ImportItem[] {
  const name = requireText(record, 'controlName');
  const at = context.scoreOf(item);
  const profile = context.profiles.get(name.toLowerCase());
  const percent = numberAt(record, 'scoreInPercentage');
  const score = numberAt(record, 'score');
  const maxScore = numberAt(profile, 'maxScore');
  if (percent === undefined && (score === undefined || maxScore === undefined)) throw new BrokenRecord('scoreInPercentage is missing');
  const state = textAt(objectsAt(profile, 'controlStateUpdates').at(-1), 'state')?.toLowerCase();
  const isOld = context.latest !== undefined && at !== context.latest;
  if (isOld || member(profile, 'deprecated') === true || SET_ASIDE.has(state ?? '')) return [];
  const isFull = percent === undefined ? (score as number) >= (maxScore as number) : percent >= 100;
  const tenant = context.tenants.get(at) ?? context.options.account_id ?? 'tenant';
  const description = plainHtml(textAt(record, 'description') ?? '');
  const category = textAt(record, 'controlCategory') ?? textAt(profile, 'controlCategory');
  const place = cloudPlace(
    { uid: tenant, name: tenant, provider: 'azure', account: tenant, service: textAt(profile, 'service'), metadata: {} },
    context.options,
  );
  return cloudItems(
    {
      source: 'secure score',
      engine: category?.toLowerCase() === 'identity' ? 'iam' : 'check',
      ruleId: name,
      title: textAt(profile, 'title') ?? (/[_\s]/.test(name) || description === '' ? wordsOf(name) : firstSentence(description)),
      description,
      severity: maxScore === undefined ? 'medium' : severityOfScore(maxScore),
      result: isFull ? 'PASS' : 'FAIL',
      place: { ...place, resource_type: 'azuread_tenant' },
      detail: plainHtml(textAt(record, 'implementationStatus') ?? ''),
      guidance: plainHtml(textAt(profile, 'remediation') ?? '') || undefined,
      urls: [textAt(profile, 'actionUrl')],
      evidence: compact({
        score,
        max_score: maxScore,
        percent,
        count: numberAt(record, 'count'),
        total: numberAt(record, 'total'),
        category,
        tier: textAt(profile, 'tier'),
        user_impact: textAt(profile, 'userImpact'),
        implementation_cost: textAt(profile, 'implementationCost'),
        threats: textsAt(profile, 'threats'),
        synced_at: textAt(record, 'lastSynced'),
      }),
      tags: category === undefined ? [] : [category],
      position: item.position,
    },
    items,
  );
}
