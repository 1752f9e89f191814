import { KEY_PURPOSES, openKeyRing, signingKeys, type KeyPurpose, type PurposeRules } from '../kit/keys/key-ring.js';
import type { EngineServices } from '../kit/engine/context.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator } from './operator.js';
import { rotateMaster } from './rotate-master.js';

const PURPOSES = Object.keys(KEY_PURPOSES) as KeyPurpose[];
const WHAT = ['list', 'rotate', 'rotate-master', 'fingerprint'];
const USAGE = `palisade keys list [--data DIR]
palisade keys rotate --purpose ${PURPOSES.join('|')} [--data DIR]
Lists the signing keys, or makes the next one of a purpose. It signs once every process has read it, after a minute; the key before it is
verified with for as long as its signatures live. Nobody is signed out. The next key of saml-request is in the SAML metadata at once and signs after
14 days, so that identity providers know it by then.

palisade keys rotate-master [--data DIR]
Puts a new master secret in the place of PALISADE_SECRET (PALISADE_SECRET_NEW or PALISADE_SECRET_NEW_FILE says which) or of the data folder's file
(a new one is made). Stop all processes first. After a kill, run it again with the same secrets.

palisade keys fingerprint [--data DIR]
Prints the fingerprint of the master key, which backups name.`;

/** The command `palisade keys`. */
export const run = command(USAGE, { purpose: text, data: text }, async ({ purpose: asked, data }, [what, ...more]) => {
  const purpose = PURPOSES.find((known) => known === asked);
  if (more.length > 0 || !WHAT.includes(what ?? '')) throw new UsageError(`say ${WHAT.join(', ')}`);
  if (what === 'rotate-master') return rotateMaster(data);
  if (what === 'fingerprint') return asOperator('palisade keys', data, async ({ masterKey }) => masterKey.fingerprint);
  if (what === 'list') return asOperator('palisade keys', data, listKeys);
  if (!purpose) throw new UsageError(`name a --purpose: ${PURPOSES.join(', ')}`);
  return asOperator('palisade keys', data, async (services) => {
    const kid = await (await openKeyRing(services, purpose)).rotate();
    const rules: PurposeRules = KEY_PURPOSES[purpose];
    return `${kid} signs in ${rules.announced === undefined ? 'a minute' : `${rules.announced / 86_400} days`}`;
  });
});

async function listKeys({ database }: EngineServices): Promise<string> {
  const rows = await database.system(signingKeys).find({}, { sort: { purpose: 1, generation: 1 } });
  return rows
    .map(({ _id, state, created_at, state_until }) => {
      const until = state_until ? `, until ${state_until.toISOString()}` : '';
      return `${_id.padEnd(18)} ${state.padEnd(12)} made ${created_at.toISOString()}${until}`;
    })
    .join('\n');
}
