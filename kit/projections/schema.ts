import type { ProjectionDefinition } from './facet.js';
import { enumName, type ListFilter } from './filters.js';
import { DEFAULT_ORDER, sortNames } from './order.js';

const SCALARS = { text: 'String', boolean: 'Boolean', integer: 'Int', moment: 'DateTime' } as const;

/** A description in the graph's language. */
const described = (text: string): string => JSON.stringify(text);

/** What a projection adds to the graph: its type, its enums and its list. */
export function projectionSchema(definition: ProjectionDefinition, filters: ReadonlyMap<string, ListFilter>): string {
  const { type, field, things, permission, facet } = definition;
  const fields = Object.entries(facet.fields);
  const enums = fields.flatMap(([name, { values, description }]) =>
    values === undefined
      ? []
      : [
          `${described(description)}\nenum ${enumName(type, name)} {\n${Object.entries(values)
            .map(([value, meaning]) => `  ${described(meaning)}\n  ${value}`)
            .join('\n')}\n}\n`,
        ],
  );
  const own = fields.map(
    ([name, { type: kind, description }]) =>
      `  ${described(description)}\n  ${name}: ${kind === 'enum' ? enumName(type, name) : SCALARS[kind]}`,
  );
  const links = Object.entries(facet.links ?? {}).map(
    ([name, { description }]) => `  ${described(description)}\n  ${name}: LinkedResources!`,
  );
  const computed = Object.entries(definition.computed ?? {}).map(
    ([name, { type: kind, description }]) => `  ${described(description)}\n  ${name}: ${kind}`,
  );
  const given = [...filters].map(([name, filter]) => `    ${described(filter.description)}\n    ${name}: ${filter.type}`);
  const names = sortNames(facet.fields);
  const sorts = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}, with - in front for descending; without it by ${DEFAULT_ORDER}.`;
  return `
${enums.join('\n')}
${described(facet.description)}
type ${type} @page(of: "${things}, by ${DEFAULT_ORDER}") {
  "Cloud-neutral identifier."
  resource_uid: ID!
  "Terraform type name, or a name in its style."
  resource_type: String!
  "Human name; null where its source gives none."
  resource_name: String
  "The platform it lives on."
  provider: Provider!
  "Account, subscription or project; null where its source names none."
  account_id: String
  "Region; \`global\` for what has none."
  region: String!
${own.join('\n')}
${[...links, ...computed].join('\n')}
  "Its open findings by severity."
  open_findings: OpenFindings!
  "How far the internet reaches it; null where no run could tell, and for callers without \`network:read\`."
  exposure: Exposure
  "Kinds of data that it holds, as people, its tags or scanners say: \`pii\`, \`payment\`."
  data_classes: [String!]!
  "Whether a plan alone tells of it: it is to be made, and nothing has shown it yet."
  planned: Boolean!
  "When a run first saw it."
  first_seen_at: DateTime!
  "When a run last saw it."
  last_seen_at: DateTime!
}

extend type Query {
  "Lists the tenant's ${things} with filters, sort and pages."
  ${field}(
${given.join('\n')}
    ${described(`The order: ${sorts}`)}
    sort: String
  ): ${type}Page! @permission(requires: "${permission}")
}
`;
}
