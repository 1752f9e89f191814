// Starts the store that the test files share (or takes the one that PALISADE_TEST_MONGODB_URI names) and offers servers over it.
// A file takes a tenant of its own on a shared server (test/support/world.ts), or a database of its own in the store.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { dist, openDeployments } = require('./deployments.cjs');

module.exports = async () => {
  if (!existsSync(join(dist, 'main.js'))) throw new Error('dist/ is missing: run the tests with npm test, or npm run build first');
  globalThis.__PALISADE_DEPLOYMENTS__ = await openDeployments();
};
