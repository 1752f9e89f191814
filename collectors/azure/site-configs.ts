/** Configurations of sites, which the graph holds in a table of their own; sites themselves show them with most members empty. */
export const SITE_CONFIGS: readonly string[] = ['Microsoft.Web/sites/config', 'Microsoft.Web/sites/slots/config'];

/** Members that can hold what is secret: lists of configurations leave them empty, and this makes sure of it. */
const EMPTIED = ['appSettings', 'connectionStrings', 'azureStorageAccounts', 'metadata', 'publishingPassword'];

type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes the configurations of a page, by the identifier of their site. */
export function noteConfigs(rows: readonly unknown[], configs: Map<string, Row>): void {
  for (const row of rows.filter(isRow)) {
    const { id, properties } = row;
    const site = typeof id === 'string' ? /^(.+)\/config\/web$/i.exec(id)?.[1] : undefined;
    if (site !== undefined && isRow(properties))
      configs.set(site.toLowerCase(), { ...properties, ...Object.fromEntries(EMPTIED.map((name) => [name, null])) });
  }
}

/** A site with its configuration in its place; any other thing as it is. */
export function withConfig(row: unknown, configs: ReadonlyMap<string, Row>): unknown {
  if (!isRow(row) || typeof row['id'] !== 'string') return row;
  const config = configs.get(row['id'].toLowerCase());
  if (config === undefined) return row;
  const properties = isRow(row['properties']) ? row['properties'] : {};
  return { ...row, properties: { ...properties, siteConfig: config } };
}
