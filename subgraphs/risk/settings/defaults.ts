import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';

const text = z.string().min(1);
const positive = z.number().positive();
const figureSchema = z.strictObject({
  value: z.number().min(0),
  unit: z.enum(['money', 'hours', 'factor']).optional(),
  reason: text,
  source: text.optional(),
  figure: text.optional(),
});
const fileSchema = z.strictObject({
  sources: z.record(z.string(), z.strictObject({ title: text, publisher: text, year: z.int(), url: z.url() })),
  threat_frequencies: z.record(z.string(), figureSchema),
  magnitudes: z.record(z.string(), figureSchema),
  record_scale: z.strictObject({
    source: text,
    figure: text,
    points: z.array(z.strictObject({ records: positive, share: positive })).min(2),
  }),
});

/** The study that a figure is from, and what it says. */
export interface FigureSource {
  readonly title: string;
  readonly publisher: string;
  readonly year: number;
  readonly figure: string;
  readonly url: string;
}

/** A figure that losses are reckoned with, where the tenant has none of its own. */
export interface DefaultFigure {
  readonly value: number;
  readonly unit: 'money' | 'hours' | 'factor' | 'per_year' | 'probability';
  readonly reason: string;
  readonly source: FigureSource | null;
}

const file = fileSchema.parse(load(readFileSync(new URL('../magnitudes.yaml', import.meta.url), 'utf8')));

function figuresOf(
  figures: Record<string, z.infer<typeof figureSchema>>,
  usual: DefaultFigure['unit'],
): ReadonlyMap<string, DefaultFigure> {
  return new Map(
    Object.entries(figures).map(([name, { value, unit = usual, reason, source, figure }]) => {
      const study = source === undefined ? undefined : file.sources[source];
      if ((source !== undefined && study === undefined) || (study === undefined) !== (figure === undefined))
        throw new Error(`magnitudes.yaml: ${name} names no study with its figure`);
      return [name, { value, unit, reason, source: study && figure !== undefined ? { ...study, figure } : null }];
    }),
  );
}

/** Serious attempts a year by class of entry. */
export const THREAT_FREQUENCIES = figuresOf(file.threat_frequencies, 'per_year');
/** What losses are made of, in US dollars, hours and factors. */
export const MAGNITUDES = figuresOf(file.magnitudes, 'factor');
/** Shares of the average cost of a record by how many are lost, in order. */
export const RECORD_SCALE = file.record_scale.points;
