import type { AttackGraph } from '../../../kit/graph/graph.js';
import { Assembly } from './assembly.js';
import { addEntries } from './entries.js';
import type { Estate } from './estate.js';
import { addGoals } from './goals.js';
import { addMovements } from './movements.js';

/** Makes the graph of an estate. */
export function assemble(estate: Estate): AttackGraph {
  const assembly = new Assembly(estate);
  addEntries(assembly);
  addMovements(assembly);
  addGoals(assembly);
  return assembly.builder.build();
}
