// Jest's environment without a realm of its own: a test file runs in the worker's own, so that the product's modules, which the files of a worker
// share (runtime.cjs), meet one Array, one Error and one Promise. What a file changes of the process is put back at its end.
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Stands for the realm that jest makes a file's scripts run in. */
const THIS_REALM = vm.createContext();
const { runInContext } = vm.Script.prototype;
vm.Script.prototype.runInContext = function (context, options) {
  return context === THIS_REALM ? this.runInThisContext(options) : runInContext.call(this, context, options);
};

// globals that a package (xpath) makes when it is loaded, which is once in a worker
const OF_PACKAGES = ['Functions', 'Utilities'];
// packages that are loaded once may listen to the end of the process: that stays theirs
const LISTENED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'];

module.exports = class {
  global = globalThis;
  fakeTimers = null;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.env = { ...process.env };
    this.exitCode = process.exitCode;
    this.globals = new Map(Reflect.ownKeys(globalThis).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]));
    this.listeners = new Map(LISTENED.map((event) => [event, process.rawListeners(event)]));
    Error.stackTraceLimit = 100;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    for (const name of Object.keys(process.env)) if (!(name in this.env)) delete process.env[name];
    Object.assign(process.env, this.env);
    process.exitCode = this.exitCode;
    for (const [event, before] of this.listeners)
      for (const listener of process.rawListeners(event)) if (!before.includes(listener)) process.removeListener(event, listener);
    for (const key of Reflect.ownKeys(globalThis)) {
      if (OF_PACKAGES.includes(key)) continue;
      const before = this.globals.get(key);
      const { configurable } = Object.getOwnPropertyDescriptor(globalThis, key);
      if (!configurable) continue;
      if (before === undefined) delete globalThis[key];
      else Object.defineProperty(globalThis, key, before);
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return THIS_REALM;
  }
};
