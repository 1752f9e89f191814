import {
  Kind,
  parse,
  type DocumentNode,
  type FieldDefinitionNode,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  type TypeNode,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../store/paging.js';

const DIRECTIVE = 'page';

const PAGING = firstType(`type Any {
  any("Number of the page, from 1." page: Int = 1, "Rows a page, 1 to ${MAX_PAGE_SIZE}." page_size: Int = ${DEFAULT_PAGE_SIZE}): Int
}`).fields![0]!.arguments!;

/**
 * Writes out what `@page` stands for: `type Webhook @page(of: "webhooks, oldest first")` gives `type WebhookPage`, the envelope of the
 * contract's lists, and each field that returns it the arguments `page` and `page_size`. What an engine writes goes no further than this:
 * composition and documents see the types and arguments.
 * @param document an engine's definitions; `of` names the rows, and behind the last comma their order; `name` is that of the page's type where it
 *   is another than the row's with `Page`. The page of a `@shareable` type is `@shareable`
 * @throws an Error that names the type whose `@page` does not say of what, or whose page is declared by hand
 */
export function expandPages(document: DocumentNode): DocumentNode {
  const pages = new Map<string, ObjectTypeDefinitionNode>();
  for (const node of document.definitions) {
    const page = node.kind === Kind.OBJECT_TYPE_DEFINITION ? pageOf(node) : null;
    if (page) pages.set(page.name.value, page);
  }
  const expand = <Node extends ObjectTypeDefinitionNode | ObjectTypeExtensionNode>(node: Node): Node => {
    if (pages.has(node.name.value)) throw new Error(`${node.name.value} is declared beside the @page that makes it`);
    const fields = node.fields?.map((field) => (pages.has(nameOf(field.type)) ? withPaging(field) : field));
    return { ...node, fields, directives: node.directives?.filter(({ name }) => name.value !== DIRECTIVE) };
  };
  const definitions = document.definitions.map((node) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION ? expand(node) : node,
  );
  return { ...document, definitions: [...definitions, ...pages.values()] };
}

function pageOf(row: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode | null {
  const directive = row.directives?.find(({ name }) => name.value === DIRECTIVE);
  if (!directive) return null;
  const argument = (wanted: string): string | undefined => {
    const value = directive.arguments?.find(({ name }) => name.value === wanted)?.value;
    return value?.kind === Kind.STRING ? value.value : undefined;
  };
  const type = row.name.value;
  const of = argument('of');
  if (!of) throw new Error(`${type}: @page needs of: "what the rows are, in which order"`);
  const rows = of.replace(/,[^,]*$/, '');
  const shareable = row.directives?.some(({ name }) => name.value === 'shareable') ? '@shareable' : '';
  return firstType(`${JSON.stringify(`One page of ${of}.`)}
  type ${argument('name') ?? `${type}Page`} ${shareable} {
    ${JSON.stringify(`The ${rows} of this page.`)}
    items: [${type}!]!
    ${JSON.stringify(`Exact number of ${rows} in the whole list.`)}
    total: Int!
    "Number of this page, from 1."
    page: Int!
    "Rows a page."
    page_size: Int!
    "Whether another page follows."
    has_more: Boolean!
  }`);
}

/** The arguments stand behind what the field needs and before what narrows it. */
function withPaging(field: FieldDefinitionNode): FieldDefinitionNode {
  const own = field.arguments ?? [];
  const missing = PAGING.filter(({ name }) => !own.some((one) => one.name.value === name.value));
  const needed = own.filter(({ type }) => type.kind === Kind.NON_NULL_TYPE);
  return { ...field, arguments: [...needed, ...missing, ...own.filter((one) => !needed.includes(one))] };
}

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

function firstType(sdl: string): ObjectTypeDefinitionNode {
  const [node] = parse(sdl, { noLocation: true }).definitions;
  if (node?.kind !== Kind.OBJECT_TYPE_DEFINITION) throw new Error(`no type: ${sdl}`);
  return node;
}
