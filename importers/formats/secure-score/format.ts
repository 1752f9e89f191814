import { jsonFormat, type Surroundings } from '../../normalize/json-format.js';
import { asObject, textAt, type JsonObject, plainText } from '../../readers/json/fields.js';
import type { JsonValueItem } from '../../readers/json/item.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { timeAt } from '../../normalize/report-time.js';
import { readControlScore, type SecureScoreContext } from './control.js';

/** Scores as Microsoft Graph lists them, alone, in an array, or beside the profiles of their controls. */
const SCORES = ['secureScore.value[*]', 'secureScores.value[*]', 'value[*]', '$[*]'];
const PROFILES = ['profiles.value[*]', 'secureScoreControlProfiles.value[*]', 'profiles[*]'];

/** Where the score of a day stands. */
const scoreOf = ({ path, indices }: JsonValueItem): string => `${SCORES.findIndex((at) => path.startsWith(at))}.${indices[0] ?? 0}`;

/** A list holds a score a day: the latest says how things are. */
function latestOf(surroundings: Surroundings): string | undefined {
  const days = SCORES.flatMap((at) => surroundings.all(`${at}.createdDateTime`));
  let latest: JsonValueItem | undefined;
  for (const day of days) if (latest === undefined || plainText(day.value) > plainText(latest.value)) latest = day;
  return latest === undefined ? undefined : scoreOf(latest);
}

function contextOf(surroundings: Surroundings): Omit<SecureScoreContext, 'options'> {
  const profiles = new Map<string, JsonObject>();
  for (const at of PROFILES)
    for (const { value } of surroundings.all(at)) {
      const profile = asObject(value);
      const id = textAt(profile, 'id');
      if (profile !== undefined && id !== undefined) profiles.set(id.toLowerCase(), profile);
    }
  const tenants = new Map(
    SCORES.flatMap((at) => surroundings.all(`${at}.azureTenantId`)).flatMap((item) => {
      const tenant = plainText(item.value);
      return tenant === '' ? [] : [[scoreOf(item), tenant] as const];
    }),
  );
  return { profiles, tenants, latest: latestOf(surroundings), scoreOf };
}

const hasScores = (outline: JsonOutline): boolean =>
  SCORES.some((at) => outline.has(`${at.replace('$', '').replaceAll('[*]', '[]')}.controlScores`)) ||
  /security\/secureScores/.test(outline.get('@odata.context') ?? outline.get('secureScore.@odata.context') ?? '');

/**
 * Microsoft Secure Score (Microsoft Graph, `security/secureScores` and `security/secureScoreControlProfiles`). The score of one control is
 * one record: the full score closes, any less opens; controls that were set aside, and scores of earlier days, say nothing.
 */
export const format = jsonFormat<SecureScoreContext>({
  name: 'msft_secure_score',
  label: 'Microsoft Secure Score',
  engines: ['check', 'iam'],
  detection: 'A JSON object with `controlScores` in `value`, or in `secureScore.value` beside `profiles`.',
  produce: `jq -n --argjson secureScore "$(az rest --url 'https://graph.microsoft.com/v1.0/security/secureScores?$top=1')" --argjson profiles "$(az rest --url https://graph.microsoft.com/v1.0/security/secureScoreControlProfiles)" '$ARGS.named' > report.json`,
  observedAt: timeAt(...SCORES.map((at) => `${at}.createdDateTime`)),
  expected: 'a Secure Score ({"secureScore": {"value": [{"controlScores": [...]}]}, "profiles": {"value": [...]}})',
  roots: ['object', 'array'],
  isOfFormat: hasScores,
  markers: ['secureScore', 'secureScores', 'value', '[].controlScores'],
  records: SCORES.map((at) => `${at}.controlScores[*]`),
  around: [...SCORES.flatMap((at) => [`${at}.createdDateTime`, `${at}.azureTenantId`]), ...PROFILES],
  context: (surroundings, options) => ({ ...contextOf(surroundings), options }),
  covers: () => [],
  convert: readControlScore,
});
