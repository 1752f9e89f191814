import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Provider } from '../schema/model.js';
import { loadCatalog } from './catalog.js';
import { CatalogError } from './families.js';
import { RuleSelector, readFrameworks, type Control, type Framework } from './frameworks.js';
import type { Rule } from './types.js';

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
  const frameworks = readFrameworks(folder, mistakes);
  if (mistakes.length > 0) throw new CatalogError(mistakes);
  return frameworks;
}

let frameworks: readonly Framework[] | undefined;

/** The frameworks with their controls: what the build wrote, or read from the files where nothing was built. Loaded once a process. */
export function loadFrameworks(): readonly Framework[] {
  return (frameworks ??= [...readOneByOne()]);
}

/** As `loadFrameworks`, one after the other, so that who reads them all for the first time can let others work in between. */
export function* frameworksOneByOne(): Generator<Framework> {
  if (frameworks) return yield* frameworks;
  const read: Framework[] = [];
  for (const framework of readOneByOne()) {
    read.push(framework);
    yield framework;
  }
  frameworks ??= read;
}

/** How the build writes them: a line each. */
export const writtenFrameworks = (all: readonly Framework[]): string => all.map((framework) => JSON.stringify(framework)).join('\n');

function* readOneByOne(): Generator<Framework> {
  if (!existsSync(BUILT_FRAMEWORKS)) return yield* readAllFrameworks();
  for (const line of readFileSync(BUILT_FRAMEWORKS, 'utf8').split('\n')) yield JSON.parse(line) as Framework;
}

let selector: RuleSelector | undefined;

/** The rules of the catalog that a selector names, whatever their provider. */
export function rulesOfSelector(text: string): readonly Rule[] {
  selector ??= new RuleSelector(loadCatalog().rules);
  return selector.select(text);
}

/** The rules that assess a control, of these providers. */
export function rulesOfControl({ selectors }: Pick<Control, 'selectors'>, providers: readonly Provider[]): Rule[] {
  const rules = new Set(selectors.flatMap(rulesOfSelector));
  return [...rules].filter(({ provider }) => providers.includes(provider));
}

let selectorsOfRules: ReadonlyMap<string, string[]> | undefined;
const controlsBySelectors = new Map<string, readonly RuleControl[]>();

/** The controls that a rule of the catalog assesses, framework by framework; none for an id that is none of the catalog. */
export function controlsOfRule({ rule_id, provider }: Pick<Rule, 'rule_id' | 'provider'>): readonly RuleControl[] {
  selectorsOfRules ??= invertSelectors();
  const selectors = selectorsOfRules.get(rule_id) ?? [];
  // rules of one family mostly share their selectors
  const key = [provider, ...selectors].join('\n');
  let controls = controlsBySelectors.get(key);
  if (controls === undefined) controlsBySelectors.set(key, (controls = controlsNamed(new Set(selectors), provider)));
  return controls;
}

function invertSelectors(): Map<string, string[]> {
  const inverted = new Map<string, string[]>();
  const texts = new Set(loadFrameworks().flatMap(({ controls }) => controls.flatMap(({ selectors }) => selectors)));
  for (const text of texts) {
    for (const { rule_id } of rulesOfSelector(text)) {
      const list = inverted.get(rule_id);
      if (list === undefined) inverted.set(rule_id, [text]);
      else list.push(text);
    }
  }
  return inverted;
}

function controlsNamed(selectors: ReadonlySet<string>, provider: Provider): RuleControl[] {
  if (selectors.size === 0) return [];
  return loadFrameworks().flatMap(({ framework_id, name, version, providers, controls }) => {
    if (!providers.includes(provider)) return [];
    const framework = version === '-' ? name : `${name} ${version}`;
    return controls
      .filter((control) => control.selectors.some((text) => selectors.has(text)))
      .map(({ control_id, title }) => ({ framework, framework_id, control_id, control_name: title }));
  });
}
