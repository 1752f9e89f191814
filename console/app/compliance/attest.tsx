import { useState } from 'preact/hooks';
import { send } from '../api.js';
import { tell } from '../notices.js';
import { FormDialog } from '../parts/dialog.js';
import { FieldInputs } from '../parts/field-inputs.js';
import { bodyOf, isFilled, valuesOf, type Field, type Values } from '../parts/fields.js';
import { ATTESTATION_WORDS } from './framework.js';

const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10);

const FIELDS: readonly Field[] = [
  {
    name: 'status',
    label: 'The control is',
    kind: 'choice',
    options: ['met', 'not_met'],
    words: (status) => ATTESTATION_WORDS[status] ?? status,
    isNeeded: true,
    initial: 'met',
  },
  { name: 'evidence', label: 'What it rests on', kind: 'long', isNeeded: true },
  { name: 'evidence_url', label: 'Where the evidence lies', kind: 'text', hint: 'An address, where it is not all in the text.' },
  { name: 'expires_at', label: 'Counts until', kind: 'date', isNeeded: true, initial: IN_A_YEAR, hint: 'At most three years ahead.' },
];

interface AttestProps {
  readonly framework: string;
  readonly control: string;
  readonly done: () => void;
}

/** Records a person's word on a control that no rule assesses. */
export function Attest({ framework, control, done }: AttestProps) {
  const [isOpen, setOpen] = useState(false);
  const [values, setValues] = useState<Values>(() => valuesOf(FIELDS, {}));
  const submit = async () => {
    await send('POST', '/api/v1/compliance/attestations', { framework_id: framework, control_id: control, ...bodyOf(FIELDS, values) });
    tell(`Attested: ${control}.`);
    done();
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Attest
      </button>
      {isOpen && (
        <FormDialog
          title={`Attest ${control}`}
          close={() => setOpen(false)}
          action="Attest"
          isReady={isFilled(FIELDS, values)}
          submit={submit}
        >
          <FieldInputs fields={FIELDS} values={values} change={setValues} />
        </FormDialog>
      )}
    </>
  );
}
