import { z } from 'zod';

const color = z.string().regex(/^#[0-9a-f]{6}(?:[0-9a-f]{2})?$/i);
const metadata = z.array(z.strictObject({ name: z.string().min(1), value: z.string().min(1) }));
const atLeast = (least: readonly number[]) => (text: string) => {
  const parts = text.split('.').map(Number);
  const first = parts.findIndex((part, n) => part !== least[n]);
  return first === -1 || parts[first]! > (least[first] ?? 0);
};

/**
 * A layer of ATT&CK Navigator as its format describes it, as far as layers of ours go.
 * @see https://github.com/mitre-attack/attack-navigator/blob/master/layers/spec/v4.5/layerformat.md
 */
export const navigatorLayer = z
  .strictObject({
    name: z.string().min(1),
    versions: z.strictObject({
      attack: z.string().optional(),
      navigator: z
        .string()
        .regex(/^\d+\.\d+\.\d+$/)
        .refine(atLeast([4, 9, 0])),
      layer: z.literal('4.5'),
    }),
    domain: z.enum(['enterprise-attack', 'mobile-attack', 'ics-attack']),
    description: z.string(),
    sorting: z.int().min(0).max(3),
    techniques: z.array(
      z.strictObject({
        techniqueID: z.string().regex(/^T\d{4}(?:\.\d{3})?$/),
        tactic: z.string().regex(/^[a-z]+(?:-[a-z]+)*$/),
        comment: z.string(),
        enabled: z.boolean(),
        score: z.number().optional(),
        color: color.optional(),
        metadata,
      }),
    ),
    gradient: z
      .strictObject({ colors: z.array(color).min(2), minValue: z.number(), maxValue: z.number() })
      .refine(({ minValue, maxValue }) => maxValue > minValue),
    legendItems: z.array(z.strictObject({ label: z.string(), color })),
    showTacticRowBackground: z.boolean(),
    selectTechniquesAcrossTactics: z.boolean(),
    selectSubtechniquesWithParent: z.boolean(),
  })
  .refine(({ techniques }) => new Set(techniques.map(({ techniqueID, tactic }) => `${techniqueID} ${tactic}`)).size === techniques.length);
