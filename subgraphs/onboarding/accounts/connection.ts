import { collectorsOf, type Collectors } from '../../../collectors/index.js';
import { recordedCollector } from '../../../collectors/recorded.js';
import type { Collector, Target } from '../../../collectors/types.js';
import { paced } from '../../../collectors/paced.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { openCredential, type Credential } from './credential.js';
import { sharedPace } from './pace.js';
import type { CloudAccountRow } from './records.js';

/** An account that is reached, for one piece of work. */
export interface OpenAccount {
  readonly collector: Collector;
  readonly target: Target;
  readonly credential: Credential;
}

/** The collectors of a process, which ask an account no faster than all workers together may. */
const collectorsFor = (services: EngineServices, row: CloudAccountRow | null): Collectors =>
  collectorsOf(row ? { ...services, outbound: paced(services.outbound, sharedPace(services, row)) } : services);

/** Opens the credential of an account, for whoever asks its provider. @returns null when it is not connected, or nobody can ask it */
export function openAccount(
  services: EngineServices,
  row: CloudAccountRow | null,
  collectors: Collectors = collectorsFor(services, row),
): OpenAccount | null {
  const known = row && collectors[row.provider];
  if (!row?.sealed_credential || !known) return null;
  const credential = openCredential(services.masterKey, { ...row, sealed_credential: row.sealed_credential });
  const { provider, account_id, scope, external_id } = row;
  const target: Target = { provider, account_id, ...scope, connection: { ...credential, external_id } };
  return { collector: credential.method === 'recorded' ? recordedCollector : known, target, credential };
}
