import type { ImportItem } from '../../types.js';
import { indicatorItem } from '../../normalize/indicator.js';
import { BrokenRecord, member, numberAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { parseTime } from '../../readers/time.js';
import { valuesOfPattern } from './pattern.js';

/** What an indicator of a bundle says (STIX 2.1, section 4.7); of other objects nothing is taken. @throws BrokenRecord */
export function readObject(object: JsonObject, position: string): ImportItem[] {
  const type = requireText(object, 'type');
  if (type !== 'indicator') return [];
  const id = requireText(object, 'id');
  if (!/^indicator--[0-9a-f-]{36}$/i.test(id)) throw new BrokenRecord('id is none of an indicator');
  // STIX 2.0 has no other patterns than its own
  const language = textAt(object, 'pattern_type') ?? 'stix';
  if (language !== 'stix') throw new BrokenRecord(`pattern_type is ${language.slice(0, 50)}, which is not read`);
  return [
    indicatorItem({
      indicator_id: id.toLowerCase(),
      values: valuesOfPattern(requireText(object, 'pattern')),
      name: textAt(object, 'name'),
      labels: [...textsAt(object, 'indicator_types'), ...textsAt(object, 'labels')],
      confidence: numberAt(object, 'confidence'),
      valid_from: timeOf(object, 'valid_from', true),
      valid_until: timeOf(object, 'valid_until'),
      modified: timeOf(object, 'modified'),
      revoked: member(object, 'revoked') === true,
      position,
    }),
  ];
}

function timeOf(object: JsonObject, key: string, isRequired = false): Date | undefined {
  if (member(object, key) === undefined && !isRequired) return undefined;
  const time = parseTime(requireText(object, key));
  if (time === undefined) throw new BrokenRecord(`${key} is no time`);
  return time;
}
