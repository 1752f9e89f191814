import { indicatorSchema, type IndicatorInput } from '../../schema/observations.js';
import { BrokenRecord } from '../readers/record.js';
import type { ImportItem } from '../types.js';

const MOST_LABELS = 20;
const LONGEST_TEXT = 300;

type Told = Omit<IndicatorInput, 'name' | 'labels' | 'confidence' | 'valid_from' | 'valid_until' | 'modified'> & {
  readonly [Key in 'name' | 'confidence' | 'valid_from' | 'valid_until' | 'modified']?: IndicatorInput[Key] | undefined;
} & { readonly labels: readonly string[] };

/** An indicator as an item, in the bounds of what is kept of one. @throws BrokenRecord */
export function indicatorItem({ name, labels, confidence, valid_from, valid_until, modified, ...own }: Told): ImportItem {
  if (valid_from && valid_until && valid_until <= valid_from) throw new BrokenRecord('valid_until is not after valid_from');
  const parsed = indicatorSchema.safeParse({
    ...own,
    labels: [...new Set(labels.map((label) => label.slice(0, LONGEST_TEXT)))].slice(0, MOST_LABELS),
    ...(name !== undefined && { name: name.slice(0, LONGEST_TEXT) }),
    ...(confidence !== undefined && { confidence }),
    ...(valid_from && { valid_from }),
    ...(valid_until && { valid_until }),
    ...(modified && { modified }),
  });
  if (parsed.success) return { kind: 'indicator', indicator: parsed.data };
  throw new BrokenRecord(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
}
