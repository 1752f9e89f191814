import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { pathModel } from '../model/model.js';

/** The figures of the steps, for who shows or changes them. */
export const figuresPart: EnginePart = {
  prefixes: ['attack-paths'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      attack_figures_model: () =>
        Object.entries(pathModel().figures).map(([name, { value, reason, reference = null }]) => ({ name, value, reason, reference })),
    },
  },
};
