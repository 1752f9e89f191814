import { isItem, valuesAt, type Item } from '../../cloud/item.js';
import { toReferences, type AboutDraft, type ReportItems } from '../../normalize/observation.js';
import { BrokenRecord, plainText } from '../../readers/json/fields.js';
import type { ControlReference, ImportItem, Observation } from '../../types.js';
import type { ScoutEstate } from './estate.js';

const SOURCE = 'scoutsuite';
/** ScoutSuite knows two levels. */
const LEVELS: Readonly<Record<string, Observation['severity']>> = { danger: 'high', warning: 'medium', info: 'info' };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? plain(value) : undefined);
/** Its texts are written for a page. */
const plain = (text: string): string =>
  text
    .replaceAll(/<br\s*\/?>/gi, '\n')
    .replaceAll(/<\/?[a-z][^>]*>/gi, '')
    .trim();

/** What a rule of ScoutSuite has flagged: an observation for each item, and the rule itself. @param at `services.s3.findings.s3-bucket-no-logging` */
export function* scoutFinding(finding: Item, at: string, estate: ScoutEstate, items: ReportItems): Generator<ImportItem> {
  const ruleId = at.split('.').at(-1)!;
  const title = textOf(finding['description']) ?? ruleId;
  const severity = LEVELS[plainText(finding['level'])] ?? 'medium';
  const guidance = textOf(finding['remediation']);
  const about: AboutDraft = {
    severity,
    ...(textOf(finding['rationale']) === undefined ? {} : { description: textOf(finding['rationale']) }),
    ...(guidance === undefined ? {} : { remediation: { guidance } }),
    references: toReferences(valuesAt(finding, 'references').filter((url): url is string => typeof url === 'string')),
    controls: controlsOf(finding['compliance']),
  };
  const service = textOf(finding['service'])?.toLowerCase();
  const flagged = valuesAt(finding, 'items').filter((item): item is string => typeof item === 'string');
  for (const [n, item] of flagged.entries()) {
    const { place, rest } = estate.placeOf(item);
    try {
      yield* items.of(
        ruleId,
        {
          about,
          place: { ...place, service },
          engine: 'check',
          result: 'FAIL',
          source: SOURCE,
          rule_id: ruleId,
          title,
          discriminator: rest === '' ? undefined : rest,
          evidence: {
            path: item,
            dashboard: textOf(finding['dashboard_name']),
            level: textOf(finding['level']),
            checked_items: finding['checked_items'],
            flagged_items: finding['flagged_items'],
          },
          position: `${at}.items[${n}]`,
          content: item,
        },
        () => ({
          ...about,
          rule_id: ruleId,
          engine: 'check',
          title,
          source: SOURCE,
          provider: place.provider,
          resource_type: place.resource_type,
        }),
      );
    } catch (error) {
      if (!(error instanceof BrokenRecord)) throw error;
      yield { kind: 'broken', position: `${at}.items[${n}]`, reason: error.message };
    }
  }
}

function controlsOf(compliance: unknown): ControlReference[] {
  if (!Array.isArray(compliance)) return [];
  return (compliance as unknown[]).filter(isItem).flatMap(({ name, version, reference }) => {
    if (typeof name !== 'string' || (typeof reference !== 'string' && typeof reference !== 'number')) return [];
    return [{ framework: typeof version === 'string' ? `${name} ${version}` : name, control_id: plainText(reference) }];
  });
}
