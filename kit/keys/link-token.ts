import { z } from 'zod';
import type { Clock } from '../base/clock.js';
import type { Database } from '../store/database.js';
import { invalid, PalisadeError } from '../base/errors.js';
import { openKeyRing, type KeyRing } from './key-ring.js';
import type { MasterKey } from './master-key.js';
import { signJws, verifyJws } from './strict-jws.js';

/** What links are for. A token of one purpose is worth nothing for another. */
export type LinkPurpose = 'invite' | 'password-reset' | 'account-link';

/** What a link says. It stays valid no longer than `version` is the present one of what it points to, which is what makes it single-use. */
export interface LinkClaims {
  /** Id of the thing that the link is for. */
  readonly subject: string;
  /** The tenant that the thing belongs to; null for what spans tenants. */
  readonly tenant_id: string | null;
  readonly version: string;
}

/** Tokens of links that are sent to people: EdDSA JWS under the ring `link`. Nothing of them is stored. */
export interface LinkTokens {
  /** @param ends when the link ends; full seconds count */
  issue(purpose: LinkPurpose, claims: LinkClaims, ends: Date): Promise<string>;
  /**
   * What a token says, and whether its time is over.
   * @throws PalisadeError VALIDATION_ERROR for a token that was never ours
   */
  read(purpose: LinkPurpose, token: string): Promise<LinkClaims & { expired: boolean }>;
}

const ISSUER = 'palisade';
/** Seconds by which the clocks of two processes may differ. */
const SKEW = 5;

const payloadSchema = z.strictObject({
  iss: z.literal(ISSUER),
  aud: z.string(),
  sub: z.string().min(1),
  tenant_id: z.string().min(1).nullable(),
  version: z.string().min(1),
  iat: z.int(),
  exp: z.int(),
});

function createLinkTokens(ring: KeyRing, clock: Clock): LinkTokens {
  const seconds = () => Math.floor(clock.now().getTime() / 1000);
  const typeOf = (purpose: LinkPurpose) => `${ISSUER}-${purpose}+jws`;
  const notOurs = () => invalid([{ path: 'token', message: 'This link is not valid' }], 'This link is not valid');
  return {
    issue(purpose, { subject, tenant_id, version }, ends) {
      const times = { iat: seconds(), exp: Math.floor(ends.getTime() / 1000) };
      return signJws(ring, typeOf(purpose), { iss: ISSUER, aud: purpose, sub: subject, tenant_id, version, ...times });
    },
    async read(purpose, token) {
      const payload = await verifyJws(ring, typeOf(purpose), token, payloadSchema).catch((error: unknown) => {
        throw error instanceof PalisadeError ? notOurs() : error;
      });
      if (payload.aud !== purpose || payload.iat > seconds() + SKEW) throw notOurs();
      const { sub, tenant_id, version, exp } = payload;
      return { subject: sub, tenant_id, version, expired: seconds() >= exp };
    },
  };
}

const opened = new WeakMap<Database, Promise<LinkTokens>>();

/** The link tokens of a process; its key ring is opened once for each database. */
export function getLinkTokens(services: { database: Database; masterKey: MasterKey; clock: Clock }): Promise<LinkTokens> {
  const known = opened.get(services.database);
  if (known) return known;
  const made = openKeyRing(services, 'link').then((ring) => createLinkTokens(ring, services.clock));
  opened.set(services.database, made);
  made.catch(() => opened.delete(services.database));
  return made;
}
