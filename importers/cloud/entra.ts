import type { ImportItem, ImportOptions } from '../types.js';
import { isItem, type Item } from './item.js';
import { fits, resourcesOf, thingOf } from './map.js';
import { assetsOf } from './read.js';
import { cloudTable, type Thing } from './table.js';

const CONTEXT = /^https:\/\/graph\.microsoft\.[\w.]+\/[\w.]+\/\$metadata#(.+)$/i;
/** The lists of Graph whose things it calls otherwise. */
const LISTS: Readonly<Record<string, string>> = {
  users: 'user',
  groups: 'group',
  applications: 'application',
  serviceprincipals: 'servicePrincipal',
  directoryroles: 'directoryRole',
  'identity/conditionalaccess/policies': 'conditionalAccessPolicy',
  conditionalaccesspolicies: 'conditionalAccessPolicy',
  'conditionalaccess/policies': 'conditionalAccessPolicy',
  'identity/conditionalaccess/namedlocations': 'namedLocation',
  namedlocations: 'namedLocation',
  'rolemanagement/directory/roleassignments': 'unifiedRoleAssignment',
  'rolemanagement/directory/roledefinitions': 'unifiedRoleDefinition',
  roleassignments: 'unifiedRoleAssignment',
  roledefinitions: 'unifiedRoleDefinition',
  administrativeunits: 'administrativeUnit',
  'directory/administrativeunits': 'administrativeUnit',
  'policies/identitysecuritydefaultsenforcementpolicy': 'identitySecurityDefaultsEnforcementPolicy',
  'policies/authorizationpolicy': 'authorizationPolicy',
  'policies/authenticationmethodspolicy': 'authenticationMethodsPolicy',
  authenticationmethodspolicy: 'authenticationMethodsPolicy',
  'policies/deviceregistrationpolicy': 'deviceRegistrationPolicy',
};

/** What a list of Graph holds, by its `@odata.context`; undefined where that does not say it. */
export function entraList(context: unknown): string | undefined {
  const path = typeof context === 'string' ? CONTEXT.exec(context)?.[1] : undefined;
  return path === undefined
    ? undefined
    : LISTS[
        path
          .replace(/\(.*$/, '')
          .replace(/\/\$entity$/, '')
          .toLowerCase()
      ];
}

/** Of which group an answer tells members or owners: `groups('…')/members`. */
export function entraGroupOf(context: unknown): { group: string; of: 'members' | 'owners' } | undefined {
  const match = typeof context === 'string' ? /#groups\('([^']+)'\)\/(members|owners)\b/i.exec(decoded(context)) : null;
  return match ? { group: match[1]!, of: match[2]!.toLowerCase() as 'members' | 'owners' } : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The line of a thing of the directory: as it says itself, as its list does, or by what it has. */
function lineOf(thing: Item, list: string | undefined): Thing | undefined {
  const said = typeof thing['@odata.type'] === 'string' ? thing['@odata.type'].replace(/^#microsoft\.graph\./, '') : undefined;
  for (const kind of [said, list]) {
    const known = kind === undefined ? undefined : thingOf('entra', kind, thing);
    if (known) return known;
  }
  if (said !== undefined || list !== undefined) return undefined;
  return cloudTable('entra').things.find((line) => line.has.length > 0 && line.config[0] !== 'namedLocation' && fits(line, thing));
}

/** Whether a thing is one of a directory, by its own words. */
export const isOfDirectory = (thing: Item): boolean => typeof thing['id'] === 'string' && lineOf(thing, undefined) !== undefined;

/** The assets that a thing of a directory tells; none where the table does not know it. @param list what the list that it stands in holds */
export function* entraAssets(
  thing: Item,
  list: string | undefined,
  at: string,
  format: string,
  options: ImportOptions,
): Generator<ImportItem> {
  const line = typeof thing['id'] === 'string' ? lineOf(thing, list) : undefined;
  if (line === undefined) return;
  // Graph leaves out what nobody selected
  const telling = { place: { account: options.account_id, region: undefined }, at, summary: true };
  yield* assetsOf(resourcesOf(cloudTable('entra'), line, thing, telling), format, options);
}

/** Who belongs to a group, of an answer that tells no more of it. */
export function* entraMembers(
  { group, of }: { group: string; of: 'members' | 'owners' },
  ids: readonly unknown[],
  at: string,
  format: string,
  options: ImportOptions,
): Generator<ImportItem> {
  const thing = { id: group, securityEnabled: true, [of]: ids.filter(isItem) };
  const line = thingOf('entra', 'group', thing)!;
  const told = { ...line, values: { id: line.values['id']!, object_id: 'id', [of]: `${of}.id` }, same: [] };
  const telling = { place: { account: options.account_id, region: undefined }, at, summary: true };
  yield* assetsOf(resourcesOf(cloudTable('entra'), told, thing, telling), format, options);
}
