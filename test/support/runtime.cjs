// Jest's module loader, but the product and its packages are loaded once in a worker instead of once in each of its test files. Test files and what is
// beside them under test/ stay as they were: new for each file.
const { sep, join } = require('node:path');
const { default: Runtime } = require('jest-runtime');

const TEST = join(__dirname, '..') + sep;

/** The loader of what is shared; it goes with the worker. @type {Runtime | undefined} */
let shared;

module.exports = class extends Runtime {
  constructor(...given) {
    super(...given);
    shared ??= new Runtime(...given);
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (moduleName === undefined || options?.isInternalModule || this._resolver.isCoreModule(moduleName))
      return super.requireModule(from, moduleName, options, isRequireActual);
    const path = this._resolveCjsModule(from, moduleName);
    return path.startsWith(TEST) ? super.requireModule(from, moduleName, options, isRequireActual) : shared.requireModule(path);
  }
};
