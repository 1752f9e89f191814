import type { Provider } from '../../schema/model.js';
import { actionsOf } from './actions.js';

interface Named {
  readonly provider: Provider;
  readonly resource_uid: string;
  readonly configuration: Readonly<Record<string, unknown>> | null;
}

/** The names by which audit logs call an identity: its identifier, and what the provider's table names. */
export function actorsOf({ provider, resource_uid, configuration }: Named): string[] {
  const names = new Set([resource_uid]);
  for (const attribute of actionsOf(provider).table.actors) {
    const name = configuration?.[attribute];
    if (typeof name === 'string' && name !== '') names.add(name);
  }
  for (const name of [...names]) {
    // logs of Azure and Google write ids and addresses in small letters
    if (provider === 'azure' || provider === 'gcp') names.add(name.toLowerCase());
    // the ARN of a session does not tell the path of its role
    if (provider === 'aws') names.add(name.replace(/(:role)\/.*\/([^/]+)$/, '$1/$2'));
  }
  return [...names];
}
