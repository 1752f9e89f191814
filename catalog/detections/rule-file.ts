import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { z } from 'zod';

/** The folder of the rules that come with the product. */
export const DETECTIONS_FOLDER = fileURLToPath(new URL('./rules', import.meta.url));

/** The logs over which rules may be, as product and service: the provider and what their events' `log` begins with. */
export const LOGS = {
  'aws/cloudtrail': { provider: 'aws', logs: null },
  'gcp/gcp.audit': { provider: 'gcp', logs: null },
  'azure/activitylogs': { provider: 'azure', logs: 'activity' },
  'azure/auditlogs': { provider: 'azure', logs: 'directory' },
  'azure/signinlogs': { provider: 'azure', logs: 'sign_in' },
  'kubernetes/audit': { provider: 'k8s', logs: null },
  'oci/audit': { provider: 'oci', logs: null },
  'alicloud/actiontrail': { provider: 'alicloud', logs: null },
} as const;
export type LogName = keyof typeof LOGS;

const LEVELS = { informational: 'info', low: 'low', medium: 'medium', high: 'high', critical: 'critical' } as const;

const sentence = z.string().min(1);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const fields = z.record(z.string().min(1), z.union([scalar, z.array(scalar)]));
const selection = z.union([fields, z.array(fields).min(1)], {
  error: 'is a map of fields, or a list of such: keywords without a field are not of the subset',
});
const level = z.enum(['informational', 'low', 'medium', 'high', 'critical']).transform((name) => LEVELS[name]);

const about = {
  title: sentence.max(120),
  /** What rules are told apart by; `id` and `name` of other collections are UUIDs and optional. */
  name: z.string().regex(/^[a-z0-9-]{3,80}$/),
  description: sentence,
  references: z.array(z.url()).default([]),
  tags: z.array(z.string()).default([]),
  level,
  falsepositives: z.array(sentence).default([]),
  /** What to do about it, step by step. */
  response: z.array(sentence).min(1),
};

const ruleSchema = z.strictObject({
  ...about,
  logsource: z
    .strictObject({ product: z.string(), service: z.string(), category: z.string().optional(), definition: z.string().optional() })
    .transform(({ product, service }, context): LogName => {
      const name = `${product}/${service}`;
      if (name in LOGS) return name as LogName;
      context.addIssue({ code: 'custom', message: `${name} is no log of the subset: ${Object.keys(LOGS).join(', ')}` });
      return z.NEVER;
    }),
  detection: z.object({ condition: z.string() }).catchall(selection),
});

const timespan = z
  .string()
  .regex(/^\d{1,4}[smhd]$/)
  .transform(
    (text) => Number(text.slice(0, -1)) * { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[text.at(-1) as 's' | 'm' | 'h' | 'd'],
  )
  .refine((milliseconds) => milliseconds <= 86_400_000, 'is at most a day');

const groupedBy = (sets: readonly (readonly string[])[]) =>
  z.array(z.string()).refine((names) => sets.some((set) => [...names].sort().join() === set.join()), {
    error: `is ${sets.map((set) => set.join(' and ')).join(', or ')}, or left out`,
  });
const BY_ACTOR = ['event.account_id', 'event.actor'];
const BY_SOURCE = ['event.account_id', 'event.source_ip'];

/** What all correlations say. */
const correlated = {
  timespan,
  /** Whether the rules also raise what they see themselves, but for informational ones. */
  generate: z.boolean().default(false),
};

/** A field, or several of which each has values that count. */
const field = z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]).optional();
const countSchema = z.strictObject({
  ...correlated,
  /** Events are taken together account by account, and in it by who acted, or by where they came from. */
  'group-by': groupedBy([BY_ACTOR, BY_SOURCE]).optional(),
  type: z.enum(['event_count', 'value_count']),
  /** The rules whose events are counted. */
  rules: z.array(z.string()).min(1),
  condition: z
    .union([z.strictObject({ gte: z.int().min(2), field }), z.strictObject({ gt: z.int().min(1), field })], {
      error: 'is gte or gt with a number of two events at least, and for value_count a field',
    })
    .transform(({ field: counted, ...least }) => ({ least: 'gte' in least ? least.gte : least.gt + 1, field: counted })),
});

const sequenceSchema = z.strictObject({
  ...correlated,
  'group-by': groupedBy([BY_ACTOR]).optional(),
  type: z.enum(['temporal', 'temporal_ordered']),
  /** The rules whose events are to come within the time: in any order, or in this one. */
  rules: z
    .array(z.string())
    .min(2)
    .max(10)
    .refine((names) => new Set(names).size === names.length, 'names a rule twice'),
});

const correlationSchema = z.strictObject({ ...about, correlation: z.discriminatedUnion('type', [countSchema, sequenceSchema]) });

/** A rule as its file has it. */
export type DetectionSource = z.infer<typeof ruleSchema>;
/** A correlation as its file has it. */
export type CorrelationSource = z.infer<typeof correlationSchema>;

/** A mistake in a rule, named by file, rule and place. */
export class DetectionError extends Error {
  override readonly name = 'DetectionError';

  constructor(readonly mistakes: readonly string[]) {
    super(`detections: ${mistakes.join('\n')}`);
  }
}

export interface DetectionSources {
  rules: DetectionSource[];
  correlations: CorrelationSource[];
}

/** Reads the rules of some YAML documents. @param mistakes gets what is wrong */
export function readDetections(text: string, file: string, mistakes: string[]): DetectionSources {
  const sources: DetectionSources = { rules: [], correlations: [] };
  for (const document of loadAll(text) as unknown[]) {
    if (document === null || document === undefined) continue;
    const isCorrelation = typeof document === 'object' && 'correlation' in document;
    const name = typeof document === 'object' && 'name' in document ? String(document.name) : 'a rule without a name';
    const parsed = isCorrelation ? correlationSchema.safeParse(document) : ruleSchema.safeParse(document);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) mistakes.push(`${file}: ${name}: ${issue.path.join('.')}: ${issue.message}`);
    } else if ('correlation' in parsed.data) sources.correlations.push(parsed.data);
    else sources.rules.push(parsed.data);
  }
  return sources;
}

/** Reads the rules of all files of a folder. @throws DetectionError with every mistake of their form */
export function readDetectionFiles(folder = DETECTIONS_FOLDER): DetectionSources {
  const mistakes: string[] = [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const all = files.sort().map((name) => readDetections(readFileSync(join(folder, name), 'utf8'), name, mistakes));
  if (mistakes.length > 0) throw new DetectionError(mistakes);
  return { rules: all.flatMap(({ rules }) => rules), correlations: all.flatMap(({ correlations }) => correlations) };
}
