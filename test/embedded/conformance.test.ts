// The same operations and the same answers on every server: the embedded store, and a real one that CONFORMANCE_URI names.
import { aggregation } from './conformance/aggregation.js';
import { crud } from './conformance/crud.js';
import { cursors } from './conformance/cursors.js';
import { indexes } from './conformance/indexes.js';
import { transactions } from './conformance/transactions.js';
import { updates } from './conformance/updates.js';
import { World } from './conformance/world.js';

const world = new World();
beforeAll(() => world.open());
afterAll(() => world.close());

crud(world);
updates(world);
indexes(world);
aggregation(world);
cursors(world);
transactions(world);
