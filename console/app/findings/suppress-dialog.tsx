import { useState } from 'preact/hooks';
import { send } from '../api.js';
import { countText, counted } from '../format.js';
import { FormDialog } from '../parts/dialog.js';
import { Partial } from '../parts/states.js';
import { Middle, SeverityMark } from '../parts/text.js';
import { usePreview } from './use-preview.js';
import type { Target } from './finding.js';

interface SuppressDialogProps {
  readonly target: Target;
  readonly close: () => void;
  /** Is told how many findings the rule holds. */
  readonly done: (count: number) => void;
}

/** What a suppression may be about, from this finding alone to all of its rule. */
const REACHES = ['resource', 'account', 'rule'] as const;
type Reach = (typeof REACHES)[number];

export const scopeOf = ({ engine, rule_id, resource_uid, account_id }: Target, reach: Reach): Record<string, string[]> => ({
  engine: [engine],
  rule_id: [rule_id],
  // `*` and `?` stand for anything in a suppression's resources, so a name that has them cannot be said exactly
  ...(reach === 'resource' && { resource_uid: [resource_uid] }),
  ...(reach === 'account' && account_id !== null && { account_id: [account_id] }),
});

/** Suppresses by a rule of its own, with a reason and an end, after showing what it takes. */
export function SuppressDialog({ target, close, done }: SuppressDialogProps) {
  const [reach, setReach] = useState<Reach>('resource');
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const scope = scopeOf(target, reach);
  const { preview, error } = usePreview(scope);
  const words: Record<Reach, string> = {
    resource: `This rule on ${target.resource_uid}`,
    account: `This rule in the account ${target.account_id ?? ''}`,
    rule: `The rule ${target.rule_id} everywhere`,
  };
  const submit = async () => {
    const body = { scope, reason: reason.trim(), ...(until && { expires_at: `${until}T00:00:00.000Z` }) };
    const { matched_count } = await send<{ matched_count: number }>('POST', '/api/v1/suppressions', body);
    done(matched_count);
  };
  return (
    <FormDialog
      title="Suppress"
      close={close}
      action={preview ? `Suppress ${counted(preview.matched_count, 'finding')}` : 'Suppress'}
      isReady={reason.trim() !== '' && preview !== null}
      submit={submit}
    >
      <fieldset>
        <legend>What</legend>
        {REACHES.filter((one) => one !== 'account' || target.account_id !== null).map((one) => (
          <label key={one} class="choice">
            <input type="radio" name="reach" checked={reach === one} onChange={() => setReach(one)} />
            <Middle text={words[one]} most={64} />
          </label>
        ))}
      </fieldset>
      <label>
        Reason
        <textarea rows={2} required value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <label>
        Until
        <input type="date" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
        <small>Then its findings are open again; empty for no end.</small>
      </label>
      <div class="preview" aria-live="polite">
        {error && <p class="problem">{error.message}.</p>}
        {preview && (
          <>
            <p>It takes {counted(preview.matched_count, 'finding')} now, and those that come:</p>
            <ul>
              {preview.findings.slice(0, 5).map(({ engine, finding_id, severity, title, resource_uid }) => (
                <li key={`${engine}/${finding_id}`}>
                  <SeverityMark severity={severity} /> {title} · <Middle text={resource_uid} most={32} />
                </li>
              ))}
              {preview.matched_count > 5 && <li>and {countText(preview.matched_count - 5)} more</li>}
            </ul>
            <Partial restricted={preview.restrictedEngines} />
          </>
        )}
      </div>
    </FormDialog>
  );
}
