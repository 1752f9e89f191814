import { exampleText, proofOf } from './call.js';
import { limitsOf, type Content, type OpenApi, type Operation } from './document.js';
import type { Reader } from './reader.js';
import { FieldList, TypeName } from './schema-view.js';
import { TryIt } from './try-it.js';
import { Block, Words } from './words.js';

const PROOF_WORDS = {
  api_key: 'A session or an API key.',
  access_token: 'The session of a person; no API key.',
  none: 'Nothing: it is open to everybody.',
} as const;

function Examples({ content, of }: { readonly content: Content; readonly of: string }) {
  return (
    <>
      {Object.entries(content).map(
        ([type, { example }]) => example !== undefined && <Block key={type} title={`${of}, ${type}`} text={exampleText(example)} />,
      )}
    </>
  );
}

/** What a body holds, by its media type. */
const Bodies = ({ content, document }: { readonly content: Content; readonly document: OpenApi }) => (
  <>
    {Object.entries(content).map(([type, { schema }]) => (
      <div key={type}>
        <p>
          <code>{type}</code> {schema && <TypeName schema={schema} />}
        </p>
        {schema && <FieldList schema={schema} schemas={document.components.schemas} />}
      </div>
    ))}
  </>
);

function Parameters({ parameters }: Pick<Operation, 'parameters'>) {
  if (parameters.length === 0) return null;
  return (
    <section>
      <h2>Parameters</h2>
      <ul class="schema-fields">
        {parameters.map(({ name, in: where, required, schema, description }) => (
          <li key={name}>
            <div class="field-head">
              <code class="name">{name}</code> <TypeName schema={schema} /> <small>{required ? `${where}, needed` : where}</small>{' '}
              <small>{limitsOf(schema)}</small>
            </div>
            {description && <Words text={description} soft />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Answers({ operation, document }: { readonly operation: Operation; readonly document: OpenApi }) {
  return (
    <section>
      <h2>Answers</h2>
      {operation.answers
        .filter(({ error }) => error === null)
        .map(({ status, answer: { description, content = {} } }) => (
          <div key={status}>
            <h3>
              {status} <small>{description}</small>
            </h3>
            <Bodies content={content} document={document} />
            <Examples content={content} of="Example of the answer" />
          </div>
        ))}
      <h3>Errors</h3>
      <ul class="plain">
        {operation.answers
          .filter(({ error }) => error !== null)
          .map(({ status, error, answer }) => (
            <li key={status}>
              {status} <a href="#errors">{error}</a> <span class="soft">{answer.description}</span>
            </li>
          ))}
      </ul>
    </section>
  );
}

/** One endpoint: what it is for, what it takes and gives, and a call to try. */
export function OperationView({
  operation,
  document,
  reader,
}: {
  readonly operation: Operation;
  readonly document: OpenApi;
  readonly reader: Reader;
}) {
  const { method, path, summary, description, requestBody } = operation;
  return (
    <article class="operation">
      <div>
        <h1>
          <span class="method">{method}</span> <code>{path}</code>
        </h1>
        <Words text={description || summary} />
        <p class="soft">
          <a href="#authentication">It takes</a>: {PROOF_WORDS[proofOf(operation) ?? 'none']}
        </p>
        <Parameters parameters={operation.parameters} />
        {requestBody && (
          <section>
            <h2>Body</h2>
            {requestBody.description && <Words text={requestBody.description} />}
            <Bodies content={requestBody.content} document={document} />
          </section>
        )}
        <Answers operation={operation} document={document} />
      </div>
      <TryIt operation={operation} reader={reader} />
    </article>
  );
}
