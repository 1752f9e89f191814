import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { PROVIDERS, type Provider } from '../schema/model.js';
import type { ControlReference } from '../schema/observations.js';
import { loadFrameworks } from './assessed.js';
import type { Framework } from './frameworks.js';

/** A control that a report or a rule names, in the words of the catalog where it knows them (decision 42). */
export interface MappedControl {
  /** framework_id of the catalog, or the report's own name of a framework that the catalog lacks. */
  framework: string;
  frameworkName: string;
  /** In the standard's own spelling. */
  controlId: string;
  controlName: string | null;
}

const aliasesSchema = z.record(z.string(), z.union([z.string(), z.partialRecord(z.enum(PROVIDERS), z.string())]));
type Target = z.infer<typeof aliasesSchema>[string];

interface Known {
  framework: Framework;
  name: string;
  /** Controls by what of their ids does not depend on spelling. */
  controls: ReadonlyMap<string, { control_id: string; title: string }>;
}

let tables: { names: ReadonlyMap<string, Target>; frameworks: ReadonlyMap<string, Known> } | undefined;

const nameKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.|\.$/g, '');

/** `AC-3(4)`, `ac_3_4` and `AC-03 (04)` alike: words and numbers, without signs and leading zeros. */
const controlKey = (id: string): string =>
  (id.toLowerCase().match(/[a-z]+|\d+/g) ?? []).map((part) => part.replace(/^0+(?=\d)/, '')).join('.');

/** Reads the aliases. @throws an Error that names what is no line of the file's form */
export const readAliases = (): Readonly<Record<string, Target>> =>
  aliasesSchema.parse(load(readFileSync(new URL('./frameworks/aliases.yaml', import.meta.url), 'utf8')));

function readTables() {
  const names = new Map<string, Target>();
  const frameworks = new Map<string, Known>();
  for (const framework of loadFrameworks()) {
    const name = framework.version === '-' ? framework.name : `${framework.name} ${framework.version}`;
    names.set(nameKey(framework.framework_id), framework.framework_id).set(nameKey(name), framework.framework_id);
    frameworks.set(framework.framework_id, {
      framework,
      name,
      controls: new Map(framework.controls.map(({ control_id, title }) => [controlKey(control_id), { control_id, title }])),
    });
  }
  for (const [name, target] of Object.entries(readAliases())) names.set(nameKey(name), target);
  return { names, frameworks };
}

/** The standard's spelling of a control: tables that catalog and scanners are made from write `ac_3_4` and `cc_6_1`. */
function spelled(framework: string, id: string): string {
  if (is80053(framework)) {
    const [, family, number, enhancement, part] =
      /^([a-z]{2})[-_. ]?0*(\d+)(?:[-_. (]+0*(\d+)\)?)?(?:[-_. (]*([a-z])\)?\.?)?$/i.exec(id) ?? [];
    if (family)
      return `${family.toUpperCase()}-${number}${enhancement ? `(${enhancement})` : ''}${part ? (enhancement ? `(${part})` : part) : ''}`;
  }
  if (framework === 'soc2_tsc') {
    const [, series, number, point] = /^(?:cc[-_. ])?(cc|pi|a|c|p)[-_. ]?(\d+)[-_. ](\d+)$/i.exec(id) ?? [];
    if (series) return `${series.toUpperCase()}${number}.${point}`;
  }
  return id;
}

/** A control as the catalog names it. @param provider of the finding: a benchmark's name may leave it out */
export function mapControl({ framework, control_id, control_name }: ControlReference, provider: Provider): MappedControl {
  tables ??= readTables();
  const target = tables.names.get(nameKey(framework));
  const id = typeof target === 'string' ? target : target?.[provider];
  const known = id === undefined ? undefined : tables.frameworks.get(id);
  if (!known) return { framework, frameworkName: framework, controlId: spelled(framework, control_id), controlName: control_name ?? null };
  const spelling = spelled(known.framework.framework_id, control_id);
  const control = known.controls.get(controlKey(control_id)) ?? known.controls.get(controlKey(spelling));
  return {
    framework: known.framework.framework_id,
    frameworkName: known.name,
    controlId: spelled(known.framework.framework_id, control?.control_id ?? control_id),
    controlName: control?.title ?? control_name ?? null,
  };
}

/** Whether a framework, by its id or a report's name, is NIST SP 800-53. */
export const is80053 = (framework: string): boolean => /(^|[^0-9])800[-_. ]?53([^0-9a]|$)/i.test(framework);

/** Whether a framework, by its id or a report's name, is a CIS benchmark: the CIS Controls are none. */
export const isCisBenchmark = (framework: string): boolean => /^CIS\b|^cis_/i.test(framework) && !/controls/i.test(framework);
