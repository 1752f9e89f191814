/** Where a template is deployed to nobody knows; identifiers of its resources begin with it. */
const GROUP = '/subscriptions/${data.azurerm_subscription.current.id}/resourceGroups/${data.azurerm_resource_group.current.name}';

/**
 * The identifier that a resource of a template will have, as far as it is known.
 * @param type `Microsoft.Network/virtualNetworks/subnets`
 * @param names one for each step of the type
 * @param scope the identifier of what it extends
 */
export function idOf(type: string, names: readonly string[], scope?: unknown): string {
  const [provider = '', ...steps] = type.split('/');
  const way = steps.flatMap((step, n) => [step, names[n] ?? '']).join('/');
  return `${typeof scope === 'string' ? scope : GROUP}/providers/${provider}/${way}`;
}
