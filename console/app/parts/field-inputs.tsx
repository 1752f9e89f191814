import { Fragment } from 'preact';
import { useId } from 'preact/hooks';
import { Choice } from './choice.js';
import { shownOf, type Field, type Value, type Values } from './fields.js';

interface InputProps {
  readonly field: Field;
  readonly value: Value | undefined;
  readonly set: (value: Value) => void;
}

const wordsFor = ({ words }: Field, option: string): string => words?.(option) ?? option;

function OneOf({ field, value, set }: InputProps) {
  return (
    <select value={String(value ?? '')} onChange={(event) => set(event.currentTarget.value)}>
      {!field.isNeeded && <option value="">–</option>}
      {field.options?.map((option) => (
        <option key={option} value={option}>
          {wordsFor(field, option)}
        </option>
      ))}
    </select>
  );
}

function Some({ field, value, set }: InputProps) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  const options = [...new Set([...(field.options ?? []), ...chosen])];
  const toggle = (option: string) => set(chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option]);
  return (
    <fieldset>
      <legend>{field.label}</legend>
      <div class="some">
        {options.map((option) => (
          <Choice key={option} label={wordsFor(field, option)} isChosen={chosen.includes(option)} toggle={() => toggle(option)} />
        ))}
      </div>
      {field.hint && <small>{field.hint}</small>}
    </fieldset>
  );
}

function Text({ field, value, set }: InputProps) {
  const list = useId();
  return (
    <>
      <input
        type="text"
        autocomplete="off"
        list={field.options && list}
        value={String(value ?? '')}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {field.options && (
        <datalist id={list}>
          {field.options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </>
  );
}

const linesOf = (value: Value | undefined): string => (typeof value === 'object' ? value.join('\n') : String(value ?? ''));

function Input(props: InputProps) {
  const { field, value, set } = props;
  const { kind } = field;
  if (kind === 'choice') return <OneOf {...props} />;
  if (kind === 'long') return <textarea rows={4} value={String(value ?? '')} onInput={(event) => set(event.currentTarget.value)} />;
  if (kind === 'lines') return <textarea rows={2} value={linesOf(value)} onInput={(event) => set(event.currentTarget.value.split('\n'))} />;
  const shared = { value: String(value ?? ''), onInput: (event: { currentTarget: HTMLInputElement }) => set(event.currentTarget.value) };
  if (kind === 'number') return <input type="number" step="any" {...shared} />;
  if (kind === 'date') return <input type="date" {...shared} />;
  // a secret of a machine is none of the browser's to keep
  if (kind === 'secret') return <input type="password" autocomplete="new-password" {...shared} />;
  return <Text {...props} />;
}

interface FieldInputsProps {
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly change: (values: Values) => void;
}

function Labelled(props: InputProps) {
  const { field, value, set } = props;
  if (field.kind === 'many') return <Some {...props} />;
  if (field.kind === 'flag')
    return (
      <label class="choice">
        <input type="checkbox" checked={value === true} onChange={() => set(value !== true)} />
        <span>
          {field.label} {field.hint && <small>{field.hint}</small>}
        </span>
      </label>
    );
  return (
    <label>
      {field.label}
      <Input {...props} />
      {field.hint && <small>{field.hint}</small>}
    </label>
  );
}

/** The fields of a form. */
export const FieldInputs = ({ fields, values, change }: FieldInputsProps) => (
  <>
    {shownOf(fields, values).map((field) => (
      <Fragment key={field.name}>
        <Labelled field={field} value={values[field.name]} set={(value) => change({ ...values, [field.name]: value })} />
        {field.below?.(values)}
      </Fragment>
    ))}
  </>
);
