import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { PROVIDERS, type Provider } from '../schema/model.js';
import { globs } from './glob.js';
import type { Rule } from './types.js';

/** A control of a framework, and what assesses it: rules, or nothing, with the reason. */
export interface Control {
  control_id: string;
  section: string;
  title: string;
  /** Selectors of the rules that assess it, as the file states them. */
  selectors: string[];
  /** Why nothing can assess it; never counted as passed. */
  manual?: string;
  /** What could assess it and is not there yet. */
  planned?: string;
}

export interface Framework {
  framework_id: string;
  name: string;
  version: string;
  /** The providers whose rules assess it. */
  providers: Provider[];
  /** What it is about where that is no cloud provider: `agent`, `secops`, `api`, `ai`. */
  scope?: string;
  source: string;
  /** The controls of level 2 in the edition of a CIS benchmark that profiles go by; all others are of level 1. Absent from all other frameworks. */
  level_2?: string[];
  controls: Control[];
}

const text = z.coerce.string().trim().min(1);
const controlSchema = z
  .strictObject({
    id: text,
    section: z.coerce.string().default(''),
    title: text,
    rules: z.array(text).min(1).optional(),
    manual: text.optional(),
    planned: text.optional(),
  })
  .refine(({ rules, manual, planned }) => [rules, manual, planned].filter(Boolean).length === 1, 'exactly one of rules, manual, planned');
const frameworkSchema = z.strictObject({
  framework_id: z.string().regex(/^[a-z0-9_]+$/),
  name: text,
  version: z.coerce.string(),
  providers: z.union([z.literal('all').transform(() => [...PROVIDERS]), z.array(z.enum(PROVIDERS))]),
  scope: text.optional(),
  source: text,
  level_2: z.array(text).optional(),
  controls: z.array(controlSchema).min(1),
});

/** Reads every framework's file. @param mistakes takes what is wrong with the files */
export function readFrameworks(folder: string, mistakes: string[]): Framework[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml') && file !== 'aliases.yaml')
    .sort()
    .flatMap((file) => {
      let value: unknown;
      try {
        value = load(readFileSync(join(folder, file), 'utf8'));
      } catch (error) {
        mistakes.push(`${file}: ${(error as Error).message}`);
        return [];
      }
      const parsed = frameworkSchema.safeParse(value);
      if (!parsed.success) {
        mistakes.push(...parsed.error.issues.map(({ path, message }) => `${file} ${path.join('.')}: ${message}`));
        return [];
      }
      if (`${parsed.data.framework_id}.yaml` !== file) mistakes.push(`${file}: holds ${parsed.data.framework_id}`);
      const { controls, ...framework } = parsed.data;
      for (const id of framework.level_2 ?? [])
        if (!controls.some((control) => control.id === id)) mistakes.push(`${file} level_2: there is no control ${id}`);
      return [
        {
          ...framework,
          controls: controls.map(({ id, rules, section, title, manual, planned }) => ({
            control_id: id,
            section,
            title,
            selectors: rules ?? [],
            ...(manual === undefined ? {} : { manual }),
            ...(planned === undefined ? {} : { planned }),
          })),
        } as Framework,
      ];
    });
}

/** Finds the rules that selectors name. */
export class RuleSelector {
  private readonly byFamily = new Map<string, Rule[]>();
  private readonly byId: readonly Rule[];
  private readonly selected = new Map<string, readonly Rule[]>();

  constructor(rules: readonly Rule[]) {
    this.byId = [...rules].sort((a, b) => (a.rule_id < b.rule_id ? -1 : 1));
    for (const rule of rules) {
      const list = this.byFamily.get(rule.family);
      if (list === undefined) this.byFamily.set(rule.family, [rule]);
      else list.push(rule);
    }
  }

  /** The rules of a selector: `<family>`, `<family>:<type glob>`, `<family>/<end of the id>`, or a glob of rule ids. */
  select(selector: string): readonly Rule[] {
    let rules = this.selected.get(selector);
    if (rules === undefined) this.selected.set(selector, (rules = this.find(selector)));
    return rules;
  }

  private find(selector: string): readonly Rule[] {
    const [, family = '', joint, rest = ''] = /^([a-z0-9_]+)(?:([:/])(.+))?$/.exec(selector) ?? [];
    if (family === '') return this.byGlob(selector);
    const rules = this.byFamily.get(family) ?? [];
    if (joint === undefined) return rules;
    const pattern = joint === ':' ? globs([rest]) : globs([`*.${rest}`]);
    return rules.filter(({ rule_id, resource_types }) =>
      joint === ':' ? resource_types.some((type) => pattern.test(type)) : pattern.test(rule_id),
    );
  }

  /** Looks only at ids that begin as the pattern does. */
  private byGlob(selector: string): Rule[] {
    const start = selector.split('*', 1)[0]!;
    const pattern = globs([selector]);
    const found: Rule[] = [];
    for (let i = this.firstFrom(start); i < this.byId.length && this.byId[i]!.rule_id.startsWith(start); i++)
      if (pattern.test(this.byId[i]!.rule_id)) found.push(this.byId[i]!);
    return found;
  }

  private firstFrom(start: string): number {
    let [low, high] = [0, this.byId.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.byId[middle]!.rule_id < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
