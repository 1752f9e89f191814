import type { Provider, ResourceIdentity } from '../../schema/model.js';
import { nullable, text, textOf } from '../store/fields.js';

/** The fields of ResourceIdentity, for the declaration of a collection whose rows stand for resources. */
export const RESOURCE_FIELDS = {
  resource_uid: text,
  resource_type: text,
  resource_name: nullable(text),
  provider: textOf<Provider>(),
  account_id: nullable(text),
  region: text,
} as const satisfies Record<keyof ResourceIdentity, unknown>;
