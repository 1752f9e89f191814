import { fill } from './template.js';
import { inWords, resourceLabel } from './resource-name.js';
import type { Family, Link, Rule, Step } from './types.js';

/** The texts of a rule, its variables filled in. */
export interface FilledTexts {
  title: string;
  description: string;
  rationale: string;
  steps: Step[];
  references: Link[];
}

/** A rule's texts, made of its family's. */
export function textsOf(rule: Rule, family: Family): FilledTexts {
  const type = rule.resource_types[0]!;
  const variables = {
    resource: resourceLabel(type, rule.provider),
    type,
    attribute: rule.path === undefined ? 'the configuration' : `\`${rule.path}\``,
    setting: rule.told_by ?? settingOf(rule.path),
    expected: rule.expected || 'what the rule asks for',
    provider: rule.provider,
    ...rule.variables,
  };
  const filled = (text: string): string => fill(text, variables).replace(/``([^`]*)``/g, '`$1`');
  const { title, description, rationale, steps, references } = { ...family, ...rule.texts };
  return {
    title: rule.told_by === undefined || title.includes('{setting}') ? filled(title) : `${filled(title)}: ${rule.told_by}`,
    description: filled(description),
    rationale: filled(rationale),
    steps: steps.map(({ action, detail }) => ({ action: filled(action), ...(detail === undefined ? {} : { detail: filled(detail) }) })),
    references,
  };
}

/** The steps of an attribute path: `rule[].action` gives `rule` and `action`. */
export const stepsOf = (path: string): string[] => path.replaceAll('[]', '').split('.').filter(Boolean);

/**
 * The name of an attribute in words, without the state that it may have: a title says what is wrong, and `secure_boot_enabled` is wrong where secure boot is not
 * enabled. `http2_enabled` gives `HTTP2`, `enable_traffic_analytics` gives `traffic analytics`.
 */
export const settingWords = (name: string): string => inWords(name).replace(/^enable (?=\S)| enabled?$/g, '');

/** An attribute in words, with the block that it stands in: `site_config.http2_enabled` gives `site config HTTP2`. */
const settingOf = (path = ''): string => settingWords(stepsOf(path).slice(-2).join('_')).replace(/^enabled?$/, '') || 'configuration';
