import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { KeysDialog } from '../app/keys-dialog.js';
import { useKeys } from '../app/keys.js';
import { Notices } from '../app/notices-view.js';
import { SearchField } from '../app/parts/search-field.js';
import { operationsOf, type OpenApi, type Operation } from './document.js';
import { GUIDES } from './guides.js';
import { OperationView } from './operation-view.js';
import { hrefOfSchema, place } from './place.js';
import { findReader, NOBODY, signInHref } from './reader.js';
import { SchemaView } from './schema-view.js';
import { searchOperations } from './search.js';

const Entry = ({ operation: { operationId, method, path } }: { readonly operation: Operation }) => (
  <a class="entry" href={`#${operationId}`} aria-current={place.value === operationId ? 'page' : undefined} title={`${method} ${path}`}>
    <span class="method">{method}</span> <span>{path.replace('/api/v1', '')}</span>
  </a>
);

/** What the page leads to: everything by subject, or what was looked for. */
function Contents({ document, operations }: { readonly document: OpenApi; readonly operations: readonly Operation[] }) {
  const [text, search] = useState('');
  const schemas = Object.keys(document.components.schemas).filter((name) => name.toLowerCase().includes(text.toLowerCase()));
  const found = useMemo(() => (text ? searchOperations(operations, text) : null), [text, operations]);
  return (
    <nav class="contents" aria-label="Contents">
      <SearchField label="Search endpoints" value={text} search={search} />
      {found ? (
        <>
          <p class="soft" role="status">
            {found.length} of {operations.length} endpoints
          </p>
          {found.map((operation) => (
            <Entry key={operation.operationId} operation={operation} />
          ))}
        </>
      ) : (
        <>
          {GUIDES.map(({ name, title }) => (
            <a key={name} href={`#${name}`} aria-current={place.value === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
          {document.tags.map(({ name }) => (
            <section key={name} aria-label={name}>
              <h2>{name}</h2>
              {operations
                .filter(({ tags }) => tags[0] === name)
                .map((operation) => (
                  <Entry key={operation.operationId} operation={operation} />
                ))}
            </section>
          ))}
        </>
      )}
      <details>
        <summary>{schemas.length} schemas</summary>
        {schemas.map((name) => (
          <a key={name} href={hrefOfSchema(name)} aria-current={place.value === `schema-${name}` ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </details>
    </nav>
  );
}

/** The reference: what it leads to, and what the address names. */
export function ReferencePage({ document }: { readonly document: OpenApi }) {
  const operations = useMemo(() => operationsOf(document), [document]);
  const [reader, setReader] = useState(NOBODY);
  const [hasKeys, setKeys] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => void findReader().then(setReader), []);
  useKeys(0, [{ key: '?', words: 'This list', run: () => setKeys(true) }]);
  const name = place.value;
  const operation = operations.find(({ operationId }) => operationId === name);
  const guide = GUIDES.find((one) => one.name === name);
  const schema = /^schema-(.+)$/.exec(name)?.[1];
  useEffect(() => {
    main.current?.scrollTo(0, 0);
    window.document.title = `${operation ? `${operation.method} ${operation.path}` : (guide?.title ?? schema ?? name)} · Palisade REST`;
    window.document.querySelector('.contents [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [name]);
  return (
    <>
      <header class="bar">
        <a class="brand" href="/">
          Palisade
        </a>
        <span class="soft">REST reference</span>
        <span class="filler" />
        <a href="/gateway/explorer">Graph explorer</a>
        {reader.isIn ? (
          <span class="who">
            {reader.email} <small>{reader.tenant}</small>
          </span>
        ) : (
          <a href={signInHref()}>Sign in</a>
        )}
      </header>
      <Contents document={document} operations={operations} />
      <main ref={main} tabIndex={-1}>
        {operation && <OperationView key={name} operation={operation} document={document} reader={reader} />}
        {guide && <guide.View document={document} />}
        {schema && <SchemaView name={schema} schemas={document.components.schemas} />}
        {!operation && !guide && !schema && (
          <div class="message">
            <h1>There is no such endpoint</h1>
            <p>
              <code>{name}</code> leads nowhere; search for it, or go to <a href="#">the start</a>.
            </p>
          </div>
        )}
      </main>
      <Notices />
      {hasKeys && <KeysDialog close={() => setKeys(false)} />}
    </>
  );
}
