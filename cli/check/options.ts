import { existsSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { ALL_RULES, DEFAULT_PROFILE } from '../../catalog/profiles.js';
import { SEVERITIES, type Severity } from '../../schema/model.js';
import { UsageError, type GivenOption } from '../command-line.js';
import { REPORT_FORMATS, type ReportFormat } from './formats.js';

const many = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;

export const OPTIONS = {
  format: many,
  output: many,
  'fail-on': { type: 'string' },
  all: flag,
  profile: { type: 'string' },
  'allow-empty': flag,
  strict: flag,
  quiet: flag,
  version: flag,
  rule: many,
  skip: many,
  'var-file': many,
  'helm-values': many,
  baseline: { type: 'string' },
  'write-baseline': flag,
  'changed-since': { type: 'string' },
} as const;

/** Where a report goes: a file, or standard output. */
export interface Output {
  format: ReportFormat;
  file: string | undefined;
}

export interface CheckOptions {
  outputs: Output[];
  failOn: Severity | undefined;
  all: boolean;
  /** The profile whose failures are told, as it was named; it may be none. */
  profile: string;
  allowEmpty: boolean;
  strict: boolean;
  quiet: boolean;
  only: string[];
  without: string[];
  variableFiles: string[];
  /** Files of values of Helm's charts, the last counts most. */
  chartValues: string[];
  baseline: string | undefined;
  writeBaseline: boolean;
  /** Only what has changed since this commit is reported. */
  changedSince: string | undefined;
}

/** The file of settings in the folder that a check is started in. */
export const SETTINGS_FILE = '.palisade.yaml';

const texts = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
/** What `.palisade.yaml` may say: the options of the command, by their names. */
const settingsSchema = z.strictObject({
  format: z.enum(REPORT_FORMATS).optional(),
  'fail-on': z.enum([...SEVERITIES, 'none']).optional(),
  all: z.boolean().optional(),
  profile: z.string().optional(),
  'allow-empty': z.boolean().optional(),
  strict: z.boolean().optional(),
  quiet: z.boolean().optional(),
  rule: texts.optional(),
  skip: texts.optional(),
  'var-file': texts.optional(),
  'helm-values': texts.optional(),
  baseline: z.string().optional(),
  'changed-since': z.string().optional(),
});
type Settings = z.infer<typeof settingsSchema>;

interface Values {
  'fail-on'?: string | undefined;
  all?: boolean | undefined;
  profile?: string | undefined;
  'allow-empty'?: boolean | undefined;
  strict?: boolean | undefined;
  quiet?: boolean | undefined;
  rule?: string[] | undefined;
  skip?: string[] | undefined;
  'var-file'?: string[] | undefined;
  'helm-values'?: string[] | undefined;
  baseline?: string | undefined;
  'write-baseline'?: boolean | undefined;
  'changed-since'?: string | undefined;
}

/** The options of the command line, those of the file of settings where it says nothing. @throws UsageError */
export function checkOptions(values: Values, given: readonly GivenOption[], settings = readSettings()): CheckOptions {
  const failOn = values['fail-on'] ?? settings['fail-on'] ?? 'medium';
  const severity = SEVERITIES.find((known) => known === failOn);
  if (severity === undefined && failOn !== 'none') throw new UsageError(`--fail-on is one of ${SEVERITIES.join(', ')}, none`);
  const baseline = values.baseline ?? settings.baseline;
  if (values['write-baseline'] === true && baseline === undefined)
    throw new UsageError('--write-baseline writes the file that --baseline names');
  const changedSince = values['changed-since'] ?? settings['changed-since'];
  if (changedSince?.startsWith('-') === true || changedSince === '')
    throw new UsageError('--changed-since names a branch, a tag or a commit');
  if (values['write-baseline'] === true && changedSince !== undefined)
    throw new UsageError('--write-baseline writes all that fails: it does not go with --changed-since');
  return {
    changedSince,
    outputs: outputsOf(given, settings.format ?? 'table'),
    failOn: severity,
    ...profileOf(values, settings),
    allowEmpty: values['allow-empty'] ?? settings['allow-empty'] ?? false,
    strict: values.strict ?? settings.strict ?? false,
    quiet: values.quiet ?? settings.quiet ?? false,
    only: values.rule ?? settings.rule ?? [],
    without: [...(settings.skip ?? []), ...(values.skip ?? [])],
    variableFiles: values['var-file'] ?? settings['var-file'] ?? [],
    chartValues: values['helm-values'] ?? settings['helm-values'] ?? [],
    baseline,
    writeBaseline: values['write-baseline'] ?? false,
  };
}

/**
 * What is told: `--all` is every result of every rule. Who names rules has chosen, and is told of them whatever the profile.
 * @throws UsageError
 */
function profileOf(values: Values, settings: Settings): Pick<CheckOptions, 'all' | 'profile'> {
  if (values.all && values.profile !== undefined && values.profile !== ALL_RULES)
    throw new UsageError('--all tells of the profile all: leave out --all, or --profile');
  const all = values.all ?? (values.profile === undefined && settings.all === true);
  if (all) return { all, profile: ALL_RULES };
  const isChosen = (values.rule ?? settings.rule ?? []).length > 0;
  return { all, profile: values.profile ?? settings.profile ?? (isChosen ? ALL_RULES : DEFAULT_PROFILE) };
}

/** Each `--output` is that of the `--format` before it. */
function outputsOf(given: readonly GivenOption[], usual: ReportFormat): Output[] {
  const outputs: Output[] = [];
  for (const { name, value } of given) {
    if (name === 'format') {
      const format = REPORT_FORMATS.find((known) => known === value);
      if (format === undefined) throw new UsageError(`--format is one of ${REPORT_FORMATS.join(', ')}`);
      outputs.push({ format, file: undefined });
    } else if (name === 'output') {
      const last = outputs.at(-1);
      if (last === undefined) outputs.push({ format: usual, file: value });
      else if (last.file !== undefined) throw new UsageError('each --output follows the --format that it takes');
      else last.file = value;
    }
  }
  if (outputs.length === 0) outputs.push({ format: usual, file: undefined });
  if (outputs.filter(({ file }) => file === undefined).length > 1)
    throw new UsageError('several formats cannot share standard output: give all but one an --output FILE');
  return outputs;
}

function readSettings(): Settings {
  if (!existsSync(SETTINGS_FILE)) return {};
  let value: unknown;
  try {
    value = load(readFileSync(SETTINGS_FILE, 'utf8')) ?? {};
  } catch (error) {
    throw new UsageError(`${SETTINGS_FILE} cannot be read: ${(error as Error).message.split('\n', 1)[0]}`);
  }
  const { data, error } = settingsSchema.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error!.issues;
  throw new UsageError(`${SETTINGS_FILE}: ${issue!.path.join('.')}${issue!.path.length > 0 ? ': ' : ''}${issue!.message}`);
}
