/** What a runbook's address may name of a finding. */
const PLACEHOLDERS = [
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
type Named = Readonly<Record<(typeof PLACEHOLDERS)[number], string | null>>;

const isPlaceholder = (name: string): name is keyof Named => (PLACEHOLDERS as readonly string[]).includes(name);

/** What is wrong with a template of runbook addresses; null when nothing is. Scheme and host are the tenant's own words, never a finding's. */
export function runbookTemplateMistake(template: string): string | null {
  if (!/^https?:\/\/[^/?#{}@\s\\]+([/?#]|$)/i.test(template))
    return 'must be an http or https address whose host holds no placeholder and no user';
  const unknown = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!).find((name) => !isPlaceholder(name));
  if (unknown !== undefined) return `{${unknown}} is none of ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`;
  return URL.canParse(template.replace(/\{[a-z_]+\}/g, 'x')) ? null : 'is not an address';
}

/** The runbook's address of a finding: every placeholder becomes the value, URL-encoded; empty where the finding has none. */
export const fillTemplate = (template: string, finding: Named): string =>
  template.replace(/\{([a-z_]+)\}/g, (whole, name: string) => (isPlaceholder(name) ? encodeURIComponent(finding[name] ?? '') : whole));
