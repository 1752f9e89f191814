import type { KeyObject } from 'node:crypto';
import { openKeyRing, type KeyRing } from '../../kit/keys/key-ring.js';
import type { AuthParts } from '../parts.js';
import { certificateOf } from './certificate.js';

type Services = Pick<AuthParts, 'database' | 'masterKey' | 'clock'>;

/** The keys that this deployment signs its AuthnRequests with; the same for all tenants. */
export interface RequestKeys {
  /** The key to sign with now. */
  signingKey(): Promise<KeyObject>;
  /** Certificates (base64 DER) of the key that signs and of the one that will next, so that providers know it before it is used. */
  certificates(): Promise<string[]>;
}

function createRequestKeys(ring: KeyRing): RequestKeys {
  const made = new Map<string, string>();
  return {
    signingKey: async () => (await ring.signingKey()).key,
    async certificates() {
      const keys = await ring.privateKeys();
      return keys.map(({ kid, key, created_at }) => {
        const certificate = made.get(kid) ?? certificateOf(key, created_at);
        made.set(kid, certificate);
        return certificate;
      });
    },
  };
}

const opened = new WeakMap<Services['database'], Promise<RequestKeys>>();

/** The keys of a process, opened when SAML is first used: an RSA key takes a while to make, and many deployments never need one. */
export function getRequestKeys(services: Services): Promise<RequestKeys> {
  const known = opened.get(services.database);
  if (known) return known;
  const keys = openKeyRing(services, 'saml-request').then(createRequestKeys);
  opened.set(services.database, keys);
  keys.catch(() => opened.delete(services.database));
  return keys;
}
