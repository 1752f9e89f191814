import type { MasterKey } from '../../../kit/keys/master-key.js';
import { seal, unseal } from '../../../kit/keys/seal.js';
import type { IntegrationKind, IntegrationRow, KindCredentials } from './records.js';

const keyOf = (masterKey: MasterKey) => masterKey.derive('integrations');

/** Credentials as the row of the integration `id` keeps them. */
export const sealCredentials = (masterKey: MasterKey, id: string, credentials: KindCredentials[IntegrationKind]): string =>
  seal(keyOf(masterKey), id, Buffer.from(JSON.stringify(credentials)));

/** The credentials of an integration. @throws when the master key is another one, or the row was changed */
export const openCredentials = <Kind extends IntegrationKind>(
  masterKey: MasterKey,
  { _id, credentials }: Pick<IntegrationRow<Kind>, '_id' | 'credentials' | 'kind'>,
): KindCredentials[Kind] => JSON.parse(unseal(keyOf(masterKey), _id, credentials).toString()) as KindCredentials[Kind];
