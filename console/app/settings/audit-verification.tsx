import { countText } from '../format.js';
import { Answer } from '../parts/states.js';
import { Moment, StateMark } from '../parts/text.js';
import { useAsk } from '../use-ask.js';

/** `GET /audit-logs/verification`. */
interface Verification {
  readonly state: 'pending' | 'holds' | 'broken';
  readonly verified_at: string | null;
  readonly whole_at: string | null;
  readonly last_seq: number | null;
  readonly broken_seq: number | null;
  readonly reason: string | null;
}

function Words({ state, verified_at, whole_at, last_seq, broken_seq, reason }: Verification) {
  if (state === 'pending') return <>a worker verifies the log every quarter of an hour.</>;
  if (state === 'broken')
    return (
      <>
        the log does not hold from entry {countText(broken_seq)} on: {reason}. Found <Moment time={verified_at} />.{' '}
        <code>palisade audit verify</code> tells the same beside the server.
      </>
    );
  return (
    <>
      up to entry {countText(last_seq)}, verified <Moment time={verified_at} />. All entries were last verified anew{' '}
      <Moment time={whole_at} />.
    </>
  );
}

/** Whether the hash chain of the log holds, as far as it was verified. */
export function AuditVerification() {
  const asked = useAsk<Verification>('/api/v1/audit-logs/verification');
  return (
    <Answer asked={asked} what="the verification of the log" rows={1}>
      {(found) => (
        <p
          class={found.state === 'broken' ? 'verification problem' : 'verification soft'}
          role={found.state === 'broken' ? 'alert' : undefined}
        >
          <StateMark state={found.state} />: <Words {...found} />
        </p>
      )}
    </Answer>
  );
}
