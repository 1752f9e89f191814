import { invalid } from './errors.js';

/** Ids that clients choose. */
const CLIENT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** @throws PalisadeError VALIDATION_ERROR for an id that a client may not choose */
export function assertClientId(id: string): void {
  if (!CLIENT_ID.test(id)) throw invalid([{ path: 'id', message: 'must be 1 to 128 of A-Z a-z 0-9 . _ : -' }]);
}
