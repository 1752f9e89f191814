/** The variables of a runbook's address, which is a template as RFC 6570 has them (level 1): what it may name of a finding. */
const VARIABLES = [
  'finding_id',
  'engine',
  'rule_id',
  'severity',
  'provider',
  'account_id',
  'region',
  'resource_type',
  'resource_uid',
  'resource_name',
] as const;
type Named = Readonly<Record<(typeof VARIABLES)[number], string | null>>;

const isVariable = (name: string): name is keyof Named => (VARIABLES as readonly string[]).includes(name);

/** What is wrong with a template of runbook addresses; null when nothing is. Scheme and host are the tenant's own words, never a finding's. */
export function runbookTemplateMistake(template: string): string | null {
  if (!/^https?:\/\/[^/?#{}@\s\\]+([/?#]|$)/i.test(template))
    return 'must be an http or https address whose host holds no variable and no user';
  const unknown = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!).find((name) => !isVariable(name));
  if (unknown !== undefined) return `{${unknown}} is none of ${VARIABLES.map((name) => `{${name}}`).join(', ')}`;
  return URL.canParse(template.replace(/\{[a-z_]+\}/g, 'x')) ? null : 'is not an address';
}

/** The runbook's address of a finding: every variable becomes its value, URL-encoded; empty where the finding has none. */
export const fillTemplate = (template: string, finding: Named): string =>
  template.replace(/\{([a-z_]+)\}/g, (whole, name: string) => (isVariable(name) ? encodeURIComponent(finding[name] ?? '') : whole));
