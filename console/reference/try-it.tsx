import { useState } from 'preact/hooks';
import { callOf, emptyFor, exampleText, proofOf, reads, type Filled } from './call.js';
import { typeOf, type Operation, type Parameter } from './document.js';
import { signInHref, type Reader } from './reader.js';
import { sendCall, type Came } from './sending.js';
import { LANGUAGES } from './snippets.js';
import { Block } from './words.js';

interface InputProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly set: (value: string) => void;
}

function ParameterInput({ parameter: { name, schema, required }, value, set }: InputProps) {
  const values = schema.enum ?? (schema.type === 'boolean' ? [true, false] : null);
  return (
    <label>
      <span>
        <code>{name}</code> {required && <small>needed</small>}
      </span>
      {values ? (
        <select value={value} onChange={(event) => set(event.currentTarget.value)}>
          <option value="" />
          {values.map((one) => (
            <option key={String(one)}>{String(one)}</option>
          ))}
        </select>
      ) : (
        <input value={value} placeholder={typeOf(schema)} onInput={(event) => set(event.currentTarget.value)} />
      )}
    </label>
  );
}

const CameBack = ({ came }: { readonly came: Came }) => (
  <section aria-live="polite">
    <h3>
      {came.status || 'No status'} {came.statusText} <small>{came.took} ms</small>
    </h3>
    <Block title="Answer" text={came.text || '(no body)'} />
    <details>
      <summary>Headers</summary>
      <pre>{came.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
    </details>
  </section>
);

/** A call to fill in: as snippets of four languages, and to send with the session. */
export function TryIt({ operation, reader }: { readonly operation: Operation; readonly reader: Reader }) {
  const [filled, fill] = useState<Filled>(() => emptyFor(operation));
  const [file, setFile] = useState<File | null>(null);
  const [language, setLanguage] = useState(LANGUAGES[0]!);
  const [came, setCame] = useState<Came | null>(null);
  const [isAway, setAway] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const call = callOf(operation, filled);
  const proof = proofOf(operation);
  const content = operation.requestBody?.content ?? {};
  const takesFile = filled.type !== null && !/json|urlencoded/.test(filled.type);
  const missing = operation.parameters.filter(({ name, required }) => required && !filled.values[name]).map(({ name }) => name);
  const isStream = operation.answers.some(({ answer }) => 'text/event-stream' in (answer.content ?? {}));
  const run = async () => {
    setBusy(true);
    setAway(false);
    // a file says itself what it is, and a form its boundary
    const sent = file ? { ...call, headers: {}, body: null } : call;
    await sendCall(sent, file).then(setCame, () => (setCame(null), setAway(true)));
    setBusy(false);
  };
  return (
    <section class="try" aria-label="Try it">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {operation.parameters.length > 0 && (
          <div class="inputs" tabIndex={0} role="group" aria-label="Parameters to fill in">
            {operation.parameters.map((parameter) => (
              <ParameterInput
                key={parameter.name}
                parameter={parameter}
                value={filled.values[parameter.name] ?? ''}
                set={(value) => fill({ ...filled, values: { ...filled.values, [parameter.name]: value } })}
              />
            ))}
          </div>
        )}
        {filled.type !== null && (
          <>
            <label>
              Kind of body
              <select
                value={filled.type}
                onChange={({ currentTarget: { value } }) => fill({ ...filled, type: value, body: exampleText(content[value]?.example) })}
              >
                {Object.keys(content).map((type) => (
                  <option key={type}>{type}</option>
                ))}
              </select>
            </label>
            <label>
              Body
              <textarea
                class="mono"
                rows={Math.min(16, Math.max(4, (filled.body ?? '').split('\n').length))}
                value={filled.body ?? ''}
                onInput={(event) => fill({ ...filled, body: event.currentTarget.value })}
              />
            </label>
            {takesFile && (
              <label>
                or a file
                <input type="file" onChange={({ currentTarget: { files } }) => setFile(files?.[0] ?? null)} />
              </label>
            )}
          </>
        )}
        <Block title={`Request in ${language.name}`} text={language.write(call, location.origin, proof)}>
          <div role="group" aria-label="Language">
            {LANGUAGES.map((one) => (
              <button type="button" key={one.name} aria-pressed={one === language} onClick={() => setLanguage(one)}>
                {one.name}
              </button>
            ))}
          </div>
        </Block>
        {isStream ? (
          <p class="soft">This answer is a stream that does not end by itself: read it with a program.</p>
        ) : (
          <div class="buttons">
            <button type="submit" class="main" disabled={isBusy || missing.length > 0 || (proof !== null && !reader.isIn)}>
              Send {operation.method}
            </button>
            <small class="soft">
              {proof !== null && !reader.isIn && (
                <>
                  It takes a session: <a href={signInHref()}>sign in</a>.
                </>
              )}
              {missing.length > 0 && `Needed: ${missing.join(', ')}. `}
              {proof !== null && reader.isIn && `As ${reader.email}${reads(operation) ? '.' : `: this may change ${reader.tenant}.`}`}
            </small>
          </div>
        )}
      </form>
      {isAway && (
        <p class="problem" role="alert">
          The server was not reached.
        </p>
      )}
      {came && <CameBack came={came} />}
    </section>
  );
}
