import { text } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';
import type { Chosen } from '../chosen.js';
import { PROPOSED, type ProposalForm } from '../form.js';

const DATA = 'data:';

function byScope(chosen: readonly Chosen[]): [scope: string, rights: string[]][] {
  const scopes = new Map<string, Set<string>>();
  for (const { resources, rights } of chosen)
    for (const scope of resources) scopes.set(scope, new Set([...(scopes.get(scope) ?? []), ...rights]));
  return [...scopes].map(([scope, rights]) => [scope, [...rights].sort()]);
}

/** A role definition for each scope at which an identity is assigned rights (Azure RBAC, "Azure custom roles"). */
export const azureForm: ProposalForm = {
  name: 'azure_role_definitions',
  isOwn: () => true,
  // an assignment holds whatever lies in its scope
  placeOf: () => undefined,
  documents: (chosen, { name }) =>
    byScope(chosen).map(([scope, rights]) => ({
      Name: `Least privilege of ${name}`,
      IsCustom: true,
      Description: `What ${name} used of its rights`,
      Actions: rights.filter((right) => !right.startsWith(DATA)),
      NotActions: [],
      DataActions: rights.filter((right) => right.startsWith(DATA)).map((right) => right.slice(DATA.length)),
      NotDataActions: [],
      AssignableScopes: [scope],
    })),
  proof(documents, _chosen, { asset }) {
    const principal_id = `least-privilege-${text(asset.configuration['principal_id']) ?? text(asset.configuration['object_id']) ?? asset.resource_uid}`;
    const account_id = asset.account_id;
    const clone: InventoryResource = {
      ...{
        resource_uid: `${asset.resource_uid}${PROPOSED}`,
        resource_type: 'azurerm_user_assigned_identity',
        provider: 'azure',
        account_id,
      },
      configuration: { principal_id },
    };
    return [
      clone,
      ...documents.flatMap((document, n): InventoryResource[] => {
        const { Actions, DataActions, AssignableScopes } = document as Record<'Actions' | 'DataActions' | 'AssignableScopes', string[]>;
        const role = `proposal:role/${n}`;
        return [
          {
            ...{ resource_uid: role, resource_type: 'azurerm_role_definition', provider: 'azure', account_id },
            configuration: { role_definition_id: role, permissions: [{ actions: Actions, data_actions: DataActions }] },
          },
          {
            ...{ resource_uid: `proposal:assignment/${n}`, resource_type: 'azurerm_role_assignment', provider: 'azure', account_id },
            configuration: { principal_id, role_definition_id: role, scope: AssignableScopes[0] },
          },
        ];
      }),
    ];
  },
};
