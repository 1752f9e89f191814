import { useState } from 'preact/hooks';
import { send } from '../api.js';
import { Dialog, FormDialog } from './dialog.js';
import { FieldInputs } from './field-inputs.js';
import { bodyOf, isFilled, valuesOf, type Values } from './fields.js';
import { pathOf, type Managed, type ManagedForm } from './managed.js';

interface EditProps<Row> {
  readonly of: Managed<Row>;
  readonly form: ManagedForm;
  /** The one that is changed; null for a new one. */
  readonly row: Row | null;
  readonly close: () => void;
  readonly done: (answer: unknown) => void;
}

/** Asks for what a new one takes, or what changes on one. */
export function EditDialog<Row>({ of, form, row, close, done }: EditProps<Row>) {
  const [values, setValues] = useState<Values>(() => valuesOf(form.fields, row ?? {}));
  const submit = async () => {
    const method = row === null ? (form.put ? 'PUT' : 'POST') : (of.edit?.method ?? 'PATCH');
    const path = row === null ? (form.put?.(values) ?? of.path) : pathOf(of, row) + (of.edit?.under ?? '');
    done(await send<unknown>(method, path, bodyOf(form.fields, values)));
  };
  const words = row === null ? `Add ${of.one}` : `Change ${of.one}`;
  return (
    <FormDialog title={words} close={close} action={words} isReady={isFilled(form.fields, values)} submit={submit}>
      <FieldInputs fields={form.fields} values={values} change={setValues} />
    </FormDialog>
  );
}

interface RemoveProps<Row> {
  readonly of: Managed<Row>;
  readonly row: Row;
  readonly close: () => void;
  readonly done: (answer: unknown) => void;
}

/** Asks once more, saying what follows. */
export function RemoveDialog<Row>({ of, row, close, done }: RemoveProps<Row>) {
  const { verb, follows } = of.removal!;
  const submit = async () => done(await send<unknown>('DELETE', pathOf(of, row)));
  return (
    <FormDialog title={`${verb} ${of.one}`} close={close} action={`${verb} it`} submit={submit}>
      <p>
        <b>{of.titleOf(row)}</b>
      </p>
      <p>{follows}</p>
    </FormDialog>
  );
}

/** What is shown this once. */
export const OnceDialog = ({ text, close }: { readonly text: string; readonly close: () => void }) => (
  <Dialog title="Shown this once" close={close}>
    <p>Keep it where it is needed: it is not shown again.</p>
    <pre tabIndex={0}>{text}</pre>
  </Dialog>
);
