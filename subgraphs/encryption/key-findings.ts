import { derivedRules } from '../../catalog/derived.js';
import { derivedFindings } from '../../kit/findings/derived.js';
import { keys } from './keys.js';

const SOON = 30 * 86_400_000;

/** Certificates, keys and secrets that expire or are weak. */
export const keyFindings = derivedFindings({
  rules: derivedRules('keys'),
  async *failures(context, now) {
    const rows = context.collection(keys.projection.rows);
    for await (const key of rows.scan({ expires_at: { $lte: new Date(now.getTime() + SOON) } })) {
      const { expires_at, kind, state } = key as typeof key & { expires_at: Date; kind: string | null; state: string | null };
      // what cannot be used any more harms nobody
      if (state === 'disabled' || state === 'pending_deletion') continue;
      const rule_id = `palisade-${kind === 'certificate' ? 'certificate' : 'key'}-${expires_at <= now ? 'expired' : 'expires-soon'}`;
      const not_after = expires_at.toISOString();
      yield { rule_id, resource: key, evidence: { attribute: 'expires_at', actual: not_after, not_after } };
    }
    for await (const key of rows.scan({ weak: true })) {
      const { algorithm, bits } = key as typeof key & { algorithm: string | null; bits: number | null };
      const actual = [algorithm, bits].filter((part) => part != null).join(' ');
      yield {
        rule_id: 'palisade-key-weak',
        resource: key,
        evidence: { attribute: 'bits', actual, expected: 'at least 112 bits of security strength' },
      };
    }
  },
});
