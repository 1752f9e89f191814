import type { TopLevel } from '../readers/json/top-level.js';

const opens = (top: TopLevel, key: string, bracket: string): boolean => top.get(key)?.startsWith(bracket) === true;

/** Whether the top level is that of `terraform show -json` of a plan. */
export function isPlan(top: TopLevel): boolean {
  const changes = opens(top, 'resource_changes', '[') && !/^\[\s*[^\s{\]]/.test(top.get('resource_changes') ?? '');
  const planned = opens(top, 'planned_values', '{') && /^\{\s*(?:$|\}|"(?:$|r|outputs))/.test(top.get('planned_values') ?? '');
  const stamped = top.has('format_version') || top.has('terraform_version');
  if (changes || planned) return stamped || opens(top, 'configuration', '{') || (changes && planned);
  const configured = opens(top, 'configuration', '{') && /^\{\s*"(?:provider_config|root_module)"/.test(top.get('configuration') ?? '');
  const planOnly = ['prior_state', 'output_changes', 'resource_drift', 'variables', 'applyable', 'relevant_attributes'].some((key) =>
    top.has(key),
  );
  return configured || (top.has('format_version') && top.has('terraform_version') && planOnly && !top.has('values'));
}

/** Whether the top level is that of `terraform show -json` of a state. */
export function isShownState(top: TopLevel): boolean {
  return top.has('format_version') && top.has('terraform_version') && opens(top, 'values', '{') && !isPlan(top);
}

/** The format version of a raw state file; undefined for anything else. 4 where the version is out of sight. */
export function rawStateVersion(top: TopLevel): number | undefined {
  const version = /^(\d{1,3})\s*(?:[,}]|$)/.exec(top.get('version') ?? '')?.[1];
  const marks = ['lineage', 'serial', 'terraform_version'].filter((key) => top.has(key)).length;
  if (version === undefined) {
    return !top.has('version') &&
      top.has('lineage') &&
      (/^\[\s*(?:$|\]|\{\s*(?:$|"))/.test(top.get('resources') ?? '') || opens(top, 'outputs', '{'))
      ? 4
      : undefined;
  }
  const listed = opens(top, 'resources', '[') || opens(top, 'modules', '[') || opens(top, 'outputs', '{');
  return marks >= 2 || (marks === 1 && listed) ? Number(version) : undefined;
}
