import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Permission } from '../../../schema/permissions.js';
import { refusalFor, send, type Refusal } from '../api.js';
import { tell } from '../notices.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import { FieldInputs } from './field-inputs.js';
import { bodyOf, isFilled, valuesOf, type Field, type Values } from './fields.js';
import { OnceDialog } from './managed-dialogs.js';
import { Refused } from './refused.js';
import { Answer } from './states.js';

/** Something that a tenant has one of: read, filled in and put back as a whole. */
export interface Setting<Body> {
  /** What it is, in the middle of a sentence. */
  readonly what: string;
  readonly path: string;
  readonly writes: Permission;
  /** What can be set; a function where that is told by what there is. */
  readonly fields: readonly Field[] | ((now: Body) => readonly Field[]);
  /** What there is as the fields name it, where they do so otherwise than the API. */
  readonly asForm?: (body: Body) => unknown;
  /** What is sent beside, or instead of, what the fields say. */
  readonly bodyOf?: (body: Record<string, unknown>, now: Body) => Record<string, unknown>;
  /** What an answer holds that is shown this once. */
  readonly once?: (answer: unknown) => string | null;
  /** What is told of it beside what can be set. */
  readonly facts: (body: Body) => ComponentChildren;
}

function SettingForm<Body>({ of, now, saved }: { readonly of: Setting<Body>; readonly now: Body; readonly saved: () => void }) {
  const { path, what } = of;
  const fields = typeof of.fields === 'function' ? of.fields(now) : of.fields;
  const before = valuesOf(fields, of.asForm?.(now) ?? now);
  const [values, setValues] = useState<Values>(before);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Refusal | null>(null);
  const [once, setOnce] = useState<string | null>(null);
  const text = JSON.stringify(before);
  useEffect(() => setValues(before), [text]);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const body = bodyOf(fields, values);
    try {
      const answer = await send<unknown>('PUT', path, of.bodyOf ? of.bodyOf(body, now) : body);
      setOnce(of.once?.(answer) ?? null);
      tell(`Saved: ${what}.`);
      saved();
    } catch (problem) {
      setError(refusalFor(problem));
    }
    setBusy(false);
  };
  return (
    <form class="form" onSubmit={(event) => void save(event)}>
      <fieldset class="whole" disabled={!can(of.writes)}>
        <FieldInputs fields={fields} values={values} change={setValues} />
      </fieldset>
      {error && <Refused error={error} />}
      {once !== null && <OnceDialog text={once} close={() => setOnce(null)} />}
      <p>
        {can(of.writes) ? (
          <button type="submit" class="main" disabled={isBusy || !isFilled(fields, values) || JSON.stringify(values) === text}>
            Save
          </button>
        ) : (
          <span class="soft">Changing it takes {of.writes}.</span>
        )}
      </p>
    </form>
  );
}

/** A setting of the tenant: how it stands, and the form that changes it. */
export function SettingView<Body>({ of }: { readonly of: Setting<Body> }) {
  const asked = useAsk<Body>(of.path);
  return (
    <div class="page setting">
      <Answer asked={asked} what={of.what}>
        {(now) => (
          <>
            {of.facts(now)}
            <SettingForm of={of} now={now} saved={asked.reload} />
          </>
        )}
      </Answer>
    </div>
  );
}
