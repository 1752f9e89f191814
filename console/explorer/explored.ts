import { createContext, useContext } from 'react';
import type { GraphQLSchema } from 'graphql';
import type { ExplorerGraph } from '../../schema/explorer.js';
import type { Me } from './graph.js';

/** What the panels look at. */
export interface Explored {
  readonly graph: ExplorerGraph;
  readonly schema: GraphQLSchema;
  readonly me: Me;
}

export const ExploredContext = createContext<Explored | null>(null);

export function useExplored(): Explored {
  const explored = useContext(ExploredContext);
  if (explored === null) throw new Error('outside of the explorer');
  return explored;
}
