import { useState } from 'preact/hooks';
import { limitsOf, namesIn, typeOf, type Schema } from './document.js';
import { hrefOfSchema } from './place.js';
import { Words } from './words.js';

type Schemas = Readonly<Record<string, Schema>>;

/** A type, each schema that it names with the way to its own page. */
export function TypeName({ schema }: { readonly schema: Schema }) {
  const names = namesIn(schema);
  const parts = typeOf(schema).split(/([A-Za-z_]\w*)/);
  return (
    <code class="type">
      {parts.map((part, index) =>
        names.includes(part) ? (
          <a key={index} href={hrefOfSchema(part)}>
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </code>
  );
}

interface FieldsProps {
  readonly schema: Schema;
  readonly schemas: Schemas;
}

/** The schema that a type is about, out of its list and its null. */
const heartOf = (schema: Schema, schemas: Schemas): Schema => {
  const [name] = namesIn(schema);
  if (name !== undefined) return schemas[name] ?? schema;
  return schema.items ? heartOf(schema.items, schemas) : schema;
};

const hasFields = (schema: Schema): boolean => Object.keys(schema.properties ?? {}).length > 0;

function FieldRow({ name, schema, schemas, isNeeded }: FieldsProps & { readonly name: string; readonly isNeeded: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const heart = heartOf(schema, schemas);
  return (
    <li>
      <div class="field-head">
        <code class="name">{name}</code> <TypeName schema={schema} /> {!isNeeded && <small>optional</small>}{' '}
        <small>{limitsOf(schema)}</small>
        {hasFields(heart) && (
          <button type="button" class="quiet" aria-expanded={isOpen} aria-label={`Fields of ${name}`} onClick={() => setOpen(!isOpen)}>
            {isOpen ? '−' : '+'} fields
          </button>
        )}
      </div>
      {schema.description && <Words text={schema.description} soft />}
      {isOpen && <FieldList schema={heart} schemas={schemas} />}
    </li>
  );
}

/** The fields of an object; those below one are drawn when they are asked for, so that a schema may lead to itself. */
export function FieldList({ schema, schemas }: FieldsProps) {
  const heart = heartOf(schema, schemas);
  const needed = new Set(heart.required ?? []);
  if (!hasFields(heart))
    return (
      <p class="soft">
        <TypeName schema={heart} /> {limitsOf(heart)}
      </p>
    );
  return (
    <ul class="schema-fields">
      {Object.entries(heart.properties ?? {}).map(([name, field]) => (
        <FieldRow key={name} name={name} schema={field} schemas={schemas} isNeeded={needed.has(name)} />
      ))}
    </ul>
  );
}

/** One named schema on a page of its own. */
export function SchemaView({ name, schemas }: { readonly name: string; readonly schemas: Schemas }) {
  const schema = schemas[name];
  if (!schema) return <p class="message">There is no schema {name}.</p>;
  return (
    <article>
      <h1>{name}</h1>
      {schema.description && <Words text={schema.description} />}
      <h2>Fields</h2>
      <FieldList schema={schema} schemas={schemas} />
    </article>
  );
}
