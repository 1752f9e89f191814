import type { EnginePart } from '../../kit/engine/engine.js';
import { registerTechnology, technologyRegistrations } from './registrations.js';

const typeDefs = `
"A technology that runs on a host of the tenant's own."
input TechnologyTargetInput {
  "The product by its one name, such as postgres, nginx, kafka, ubuntu."
  product: String!
  "Its version, as its maker writes it; without one its end of life is not known."
  version: String
  "What the product is for, as the list has it."
  kind: String
  "Name or address of the host that it runs on."
  host: String!
  "The port that it listens on."
  port: Int
  "What it is called; product and host when left out."
  name: String
  "Provider of the host; the tenant's default when left out."
  provider: Provider
  "Account that it belongs to."
  account_id: String
  "The host agent that reaches it."
  agent_id: ID
}

extend type Mutation {
  "Registers a self-hosted technology, so that it stands in the inventory and its end of life is judged as that of a discovered one. The same product, host and port again replaces what was said before."
  register_technology("What runs where." input: TechnologyTargetInput!): TechnologyTarget! @permission(requires: "accounts:write")
}
`;

/** What people register, beside what inventories tell of. */
export const register: EnginePart = {
  prefixes: ['technology'],
  typeDefs,
  resolvers: { Mutation: { register_technology: (_, args: { input: unknown }, context) => registerTechnology(context, args.input) } },
  routes: [{ method: 'POST', path: '/technology/targets', field: 'register_technology', status: 201, tag: 'technology' }],
  collections: [technologyRegistrations],
};
