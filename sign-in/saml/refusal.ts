import { badRequest } from '../../kit/base/errors.js';

/** Why a response is not accepted: for the log, the audit and the administrator who tries the settings out. A caller learns nothing of it. */
export class SamlRefusal extends Error {
  override readonly name = 'SamlRefusal';
}

/** @throws SamlRefusal with `reason` unless `holds` */
export function assertThat(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new SamlRefusal(reason);
}

/** The message of every refused sign-in. */
export const signInRefused = () => badRequest('The sign-in could not be completed: begin it again');
