import { oauthStates } from '../../sign-in/oauth/states.js';
import type { AnyCollection, CollectionDefinition } from '../../kit/store/collection.js';
import { jobs } from '../../kit/work/jobs.js';
import { signingKeys } from '../../kit/keys/key-ring.js';
import { MAIL_JOB } from '../../kit/work/mail.js';
import type { KEY_USES, KeyUse } from '../../kit/keys/master-key.js';
import { masterKeys } from '../../kit/keys/master-key-records.js';
import { integrations } from '../../subgraphs/events/integrations/records.js';
import { cloudAccounts } from '../../subgraphs/onboarding/accounts/records.js';
import { siemExports } from '../../subgraphs/events/siem/records.js';
import { webhooks } from '../../subgraphs/events/webhooks/records.js';
import { pendingTotp, secondSteps } from '../../accounts/factors/records.js';
import { users } from '../../accounts/records.js';
import { ssoSettings } from '../../accounts/providers/records.js';

/** A text that is sealed at rest: where it lies in its row, what for, and for whom. */
export interface SealedText {
  readonly path: string;
  readonly use: KeyUse;
  readonly owner: string;
  readonly text: string | null | undefined;
}

/** The sealed texts of a collection's rows. */
export interface SealedCollection {
  readonly collection: AnyCollection;
  texts(row: { _id: string }): SealedText[];
}

const list = <Row extends { _id: string }>(collection: CollectionDefinition<Row>, texts: (row: Row) => SealedText[]): SealedCollection => ({
  collection,
  texts,
});

/** The uses whose texts a rotation opens and seals anew; the seals of the audit log have a way of their own. */
type SealedUse = Exclude<{ [Use in KeyUse]: (typeof KEY_USES)[Use] extends 'resealed' ? Use : never }[KeyUse], `audit/${string}`>;

const signing = list(signingKeys, ({ _id, purpose, private_key }) => [
  { path: 'private_key', use: `signing-keys/${purpose}`, owner: _id, text: private_key },
]);
const totp = <Row extends { _id: string; totp_sealed: string | null }>(collection: CollectionDefinition<Row>) =>
  list(collection, ({ _id, totp_sealed }) => [{ path: 'totp_sealed', use: 'totp', owner: _id, text: totp_sealed }]);

/** Everything that is sealed at rest, by its use: a use that is new has to say where its texts lie. */
export const SEALED: Readonly<Record<SealedUse, readonly SealedCollection[]>> = {
  'signing-keys/session': [signing],
  'signing-keys/auth-context': [signing],
  'signing-keys/link': [signing],
  'signing-keys/device': [signing],
  'signing-keys/saml-request': [signing],
  totp: [totp(users), totp(secondSteps), totp(pendingTotp)],
  'oauth-client': [
    list(ssoSettings, ({ tenant_id, oauth }) => [
      { path: 'oauth.client_secret_sealed', use: 'oauth-client', owner: `sso:${tenant_id}`, text: oauth?.client_secret_sealed },
    ]),
  ],
  'oauth-state': [list(oauthStates, ({ _id, sealed }) => [{ path: 'sealed', use: 'oauth-state', owner: _id, text: sealed }])],
  siem: [
    list(siemExports, ({ tenant_id, webhook, object_storage }) => [
      { path: 'webhook.secret', use: 'siem', owner: tenant_id, text: webhook?.secret },
      { path: 'object_storage.secret_access_key', use: 'siem', owner: tenant_id, text: object_storage?.secret_access_key },
    ]),
  ],
  integrations: [
    list(integrations, ({ _id, credentials }) => [{ path: 'credentials', use: 'integrations', owner: _id, text: credentials }]),
  ],
  'cloud-accounts': [
    list(cloudAccounts, ({ _id, sealed_credential }) => [
      { path: 'sealed_credential', use: 'cloud-accounts', owner: _id, text: sealed_credential },
    ]),
  ],
  'webhook-secrets': [
    list(webhooks, ({ _id, secrets }) =>
      secrets.map(({ sealed }, n) => ({ path: `secrets.${n}.sealed`, use: 'webhook-secrets', owner: _id, text: sealed })),
    ),
  ],
  mail: [
    list(jobs, ({ tenant_id, kind, payload }) => [
      { path: 'payload.sealed', use: 'mail', owner: tenant_id, text: kind === MAIL_JOB ? (payload['sealed'] as string) : null },
    ]),
  ],
  'former-keys': [list(masterKeys, ({ _id, kept }) => [{ path: 'kept', use: 'former-keys', owner: _id, text: kept }])],
};
