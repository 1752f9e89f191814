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
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: unknown): string => String(text ?? '').replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** A schema in one line: `Severity[]`, `string or null`. */
function typeName(schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)!;
    return `<a href="#schema-${escape(name)}">${escape(name)}</a>`;
  }
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as JsonSchema[]).map(typeName).join(' or ');
  const names = [schema.type ?? 'any'].flat() as string[];
  const items = schema.items as JsonSchema | undefined;
  const named = names.map((name) => (name === 'array' && items ? `${typeName(items)}[]` : escape(name))).join(' or ');
  return typeof schema.format === 'string' ? `${named} (${escape(schema.format)})` : named;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : `<table><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;

function limitsOf(schema: JsonSchema): string {
  const parts = [
    schema.default === undefined ? '' : `default ${escape(JSON.stringify(schema.default))}`,
    schema.minimum === undefined
      ? ''
      : `from ${escape(schema.minimum)}${schema.maximum === undefined ? '' : ` to ${escape(schema.maximum)}`}`,
  ];
  return parts.filter(Boolean).join(', ');
}

interface Parameter extends JsonSchema {
  name: string;
  in: string;
  required: boolean;
  schema: JsonSchema;
}

function renderOperation(path: string, method: string, operation: JsonSchema): string {
  const parameters = operation.parameters as Parameter[];
  const rows = parameters.map((parameter) => [
    `<code>${escape(parameter.name)}</code>${parameter.required ? ' *' : ''}`,
    escape(parameter.in),
    `<span class="type">${typeName(parameter.schema)}</span> ${limitsOf(parameter.schema)}`,
    escape(parameter.description),
  ]);
  const bodies = Object.entries(
    ((operation.requestBody as JsonSchema | undefined)?.content ?? {}) as Record<string, { schema: JsonSchema }>,
  );
  const responses = Object.entries(operation.responses as Record<string, JsonSchema>).filter(([status]) => status !== 'default');
  const contents = responses.map(([status, response]) => {
    const content = Object.entries((response.content ?? {}) as Record<string, { schema: JsonSchema }>)[0];
    const error = typeof response.$ref === 'string' ? escape(response.$ref.split('/').at(-1)) : '';
    return [escape(status), content ? `<span class="type">${typeName(content[1].schema)}</span>` : error || 'no body'];
  });
  return `<article id="${escape(operation.operationId)}"><h3><span class="method">${escape(method.toUpperCase())}</span> ${escape(path)}</h3>
<p>${escape(operation.description)}</p>${table(['Parameter', 'In', 'Type', 'Meaning'], rows)}${bodies.map(([type, { schema }]) => `<p>Body <code>${escape(type)}</code>: <span class="type">${typeName(schema)}</span></p>`).join('')}
<details><summary>Responses</summary>${table(['Status', 'Body'], contents)}</details></article>`;
}

function renderSchema(name: string, schema: JsonSchema): string {
  const required = new Set((schema.required ?? []) as string[]);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const rows = properties.map(([key, value]) => [
    `<code>${escape(key)}</code>${required.has(key) ? '' : ' (optional)'}`,
    `<span class="type">${typeName(value)}</span>`,
    escape(value.description),
  ]);
  return `<article id="schema-${escape(name)}"><h3>${escape(name)}</h3><p>${escape(schema.description)}</p>${table(['Field', 'Type', 'Meaning'], rows)}</article>`;
}

/** Renders the REST reference as one page without scripts and without anything from another host. */
export function renderReference(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => (operation.tags as string[])[0] === name),
  }));
  const links = groups.map(
    ({ name, operations: own }) =>
      `<strong>${escape(name)}</strong>${own.map(({ path, method, operation }) => `<a href="#${escape(operation.operationId)}">${escape(method.toUpperCase())} ${escape(path.replace('/api/v1', ''))}</a>`).join('')}`,
  );
  const sections = groups.map(
    ({ name, operations: own }) =>
      `<h2>${escape(name)}</h2>${own.map(({ path, method, operation }) => renderOperation(path, method, operation)).join('')}`,
  );
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => renderSchema(name, schema));
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(document.info.title)} REST reference</title><link rel="stylesheet" href="/gateway/docs.css"></head>
<body><nav><a href="/gateway/openapi.json">openapi.json</a>${links.join('')}<strong><a href="#schemas">Schemas</a></strong></nav>
<main><h1>${escape(document.info.title)} REST reference</h1><p>${escape(document.info.description)}</p>${sections.join('')}<h2 id="schemas">Schemas</h2>${schemas.join('')}</main></body></html>`;
}
