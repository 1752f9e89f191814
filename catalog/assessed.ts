import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadCatalog } from './catalog.js';
import { CatalogError } from './families.js';
import { RuleSelector, readFrameworks, type Control, type Framework } from './frameworks.js';

/** A control with the rules that assess it. */
export interface AssessedControl extends Control {
  rule_ids: readonly string[];
}

/** A framework, its selectors resolved against the catalog. */
export interface AssessedFramework extends Omit<Framework, 'controls'> {
  controls: readonly AssessedControl[];
}

/** A control that a rule assesses, as findings name it. */
export interface RuleControl {
  framework: string;
  framework_id: string;
  control_id: string;
  control_name: string;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const FRAMEWORKS_FOLDER = here('./frameworks');
/** What the build writes beside this module. */
export const BUILT_FRAMEWORKS = here('./frameworks.json');

/** Reads the frameworks' files. @throws CatalogError with every mistake in them */
export function readAllFrameworks(folder = FRAMEWORKS_FOLDER): Framework[] {
  const mistakes: string[] = [];
  const frameworks = existsSync(folder) ? readFrameworks(folder, mistakes) : [];
  if (mistakes.length > 0) throw new CatalogError(mistakes);
  return frameworks;
}

let assessed: readonly AssessedFramework[] | undefined;
let byRule: Map<string, RuleControl[]> | undefined;

/** The frameworks with the rules of each control. Loaded once a process. */
export function loadFrameworks(): readonly AssessedFramework[] {
  if (assessed === undefined) {
    const frameworks = existsSync(BUILT_FRAMEWORKS)
      ? (JSON.parse(readFileSync(BUILT_FRAMEWORKS, 'utf8')) as Framework[])
      : readAllFrameworks();
    const selector = new RuleSelector(loadCatalog().rules);
    assessed = frameworks.map((framework) => {
      const selected = new Map<string, readonly string[]>();
      const idsOf = (text: string): readonly string[] => {
        let ids = selected.get(text);
        if (ids === undefined) selected.set(text, (ids = selector.select(text, framework.providers).map(({ rule_id }) => rule_id)));
        return ids;
      };
      const controls = framework.controls.map((control) => ({ ...control, rule_ids: [...new Set(control.selectors.flatMap(idsOf))] }));
      return { ...framework, controls };
    });
  }
  return assessed;
}

/** The controls that a rule assesses, framework by framework. */
export function controlsOfRule(ruleId: string): readonly RuleControl[] {
  if (byRule === undefined) {
    byRule = new Map();
    for (const { framework_id, name, version, controls } of loadFrameworks()) {
      const framework = version === '-' ? name : `${name} ${version}`;
      for (const { control_id, title, rule_ids } of controls) {
        const control: RuleControl = { framework, framework_id, control_id, control_name: title };
        for (const rule_id of rule_ids) {
          const list = byRule.get(rule_id);
          if (list === undefined) byRule.set(rule_id, [control]);
          else list.push(control);
        }
      }
    }
  }
  return byRule.get(ruleId) ?? [];
}
