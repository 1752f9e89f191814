import { html, type Html, type HtmlValue } from '../http/html.js';
import type { OpenApiDocument } from './openapi.js';
import type { JsonSchema } from './openapi-schemas.js';

/** The style sheet of the reference; a file of its own, because the content security policy allows no inline style. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #2563eb; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: 13px; }
nav a { display: block; color: inherit; text-decoration: none; padding: 1px 0; overflow-wrap: anywhere; }
nav a:hover { color: var(--accent); }
nav strong { display: block; margin-top: .8rem; }
main { padding: 1rem 2rem 6rem; max-width: 70rem; }
article { border: 1px solid var(--line); border-radius: 8px; margin: 1rem 0; padding: .8rem 1rem; overflow-x: auto; }
h3 { margin: 0; font-size: 15px; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
code, .type { font-family: ui-monospace, monospace; font-size: 13px; }
.method { display: inline-block; min-width: 4.2rem; color: var(--accent); }
.type { opacity: .75; }
p { white-space: pre-line; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; margin: .4rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-top: 1px solid var(--line); overflow-wrap: break-word; }
th { background: var(--soft); font-weight: 600; }
details > summary { cursor: pointer; }
pre { overflow-x: auto; font-size: 13px; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;

/** A schema in one line: `Severity[]`, `string or null`. */
function typeName(schema: JsonSchema): Html {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)!;
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives) return joined(alternatives.map(typeName));
  const items = schema.items as JsonSchema | undefined;
  const names = ([schema.type ?? 'any'].flat() as string[]).map((name) =>
    name === 'array' && items ? html`${typeName(items)}[]` : html`${name}`,
  );
  return typeof schema.format === 'string' ? html`${joined(names)} (${schema.format})` : joined(names);
}

const joined = (names: readonly Html[]): Html => html`${names.map((name, index) => (index === 0 ? name : html` or ${name}`))}`;

const table = (head: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html | null =>
  rows.length === 0
    ? null
    : html`<table>
        <tr>
          ${head.map((cell) => html`<th>${cell}</th>`)}
        </tr>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </table>`;

function limitsOf(schema: JsonSchema): string {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  const parts = [
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
    minimum === undefined ? '' : `from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`,
  ];
  return parts.filter(Boolean).join(', ');
}

interface Parameter extends JsonSchema {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

type Content = Record<string, { schema: JsonSchema; example?: unknown }>;
const contentOf = (value: unknown): Content => ((value as JsonSchema | undefined)?.content ?? {}) as Content;

const exampleOf = (title: string, content: Content): Html | null => {
  const example = Object.values(content).find((one) => one.example !== undefined)?.example;
  if (example === undefined) return null;
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return html`<details>
    <summary>${title}</summary>
    <pre>${text}</pre>
  </details>`;
};

function renderOperation(document: OpenApiDocument, { path, method, operation }: Listed): Html {
  const parameters = (operation.parameters as JsonSchema[]).map((one) =>
    typeof one.$ref === 'string' ? document.components.parameters[one.$ref.split('/').at(-1)!] : one,
  ) as Parameter[];
  const rows = parameters.map((one): HtmlValue[] => [
    html`<code>${one.name}</code>${one.required && ' *'}`,
    one.in,
    html`<span class="type">${typeName(one.schema)}</span> ${limitsOf(one.schema)}`,
    one.description,
  ]);
  const body = contentOf(operation.requestBody);
  const responses = Object.entries(operation.responses as Record<string, JsonSchema>).filter(([status]) => status !== 'default');
  const contents = responses.map(([status, response]): HtmlValue[] => {
    const [content] = Object.values(contentOf(response));
    const error = typeof response.$ref === 'string' ? response.$ref.split('/').at(-1) : undefined;
    return [status, content ? html`<span class="type">${typeName(content.schema)}</span>` : (error ?? 'no body')];
  });
  const success = contentOf(responses.find(([status]) => status.startsWith('2'))?.[1]);
  const bodies = Object.entries(body).map(
    ([type, { schema }]) => html`<p>Body <code>${type}</code>: <span class="type">${typeName(schema)}</span></p>`,
  );
  return html`<article id="${operation.operationId as string}">
    <h3><span class="method">${method.toUpperCase()}</span> ${path}</h3>
    <p>${operation.description as string}</p>
    ${table(['Parameter', 'In', 'Type', 'Meaning'], rows)}${bodies}${exampleOf('Example of the body', body)}
    <details>
      <summary>Responses</summary>
      ${table(['Status', 'Body'], contents)}
    </details>
    ${exampleOf('Example of an answer', success)}
  </article>`;
}

function renderSchema(name: string, schema: JsonSchema): Html {
  const required = new Set((schema.required ?? []) as string[]);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const rows = properties.map(([key, value]): HtmlValue[] => [
    html`<code>${key}</code>${!required.has(key) && ' (optional)'}`,
    html`<span class="type">${typeName(value)}</span>`,
    value.description as string | undefined,
  ]);
  return html`<article id="schema-${name}">
    <h3>${name}</h3>
    <p>${schema.description as string | undefined}</p>
    ${table(['Field', 'Type', 'Meaning'], rows)}
  </article>`;
}

interface Listed {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonSchema;
}

/** Renders the REST reference as one page without scripts and without anything from another host. */
export function renderReference(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Listed => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => (operation.tags as string[])[0] === name),
  }));
  const links = groups.map(
    ({ name, operations: own }) =>
      html`<strong>${name}</strong>${own.map(({ path, method, operation }) => html`<a href="#${operation.operationId as string}">${method.toUpperCase()} ${path.replace('/api/v1', '')}</a>`)}`,
  );
  const sections = groups.map(
    ({ name, description, operations: own }) =>
      html`<h2>${name}</h2>
        <p>${description}</p>
        ${own.map((one) => renderOperation(document, one))}`,
  );
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => renderSchema(name, schema));
  const { title, description } = document.info as { title: string; description: string };
  return String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width">
          <title>${title} REST reference</title>
          <link rel="stylesheet" href="/gateway/docs.css">
        </head>
        <body>
          <nav>
            <a href="/gateway/openapi.json">openapi.json</a>${links}<strong><a href="#schemas">Schemas</a></strong>
          </nav>
          <main>
            <h1>${title} REST reference</h1>
            <p>${description}</p>
            ${sections}
            <h2 id="schemas">Schemas</h2>
            ${schemas}
          </main>
        </body>
      </html>`,
  );
}
