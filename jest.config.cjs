// ES modules of ours and of the packages below become CommonJS through esbuild; everything else loads as it is.
const ESM_PACKAGES = [
  'jose',
  'mingo',
  'sorted-btree',
  'otplib',
  '@otplib',
  '@scure',
  '@noble',
  'openid-client',
  'oauth4webapi',
  '@bufbuild',
  'graphql-scalars',
  'yaml',
  '@seriousme',
];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  runtime: '<rootDir>/test/support/runtime.cjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.(ts|js|mjs)$': '<rootDir>/test/support/esbuild-transform.cjs' },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_PACKAGES.join('|')})/)`],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  // far longer than any test takes: how busy the machine is must not fail one
  testTimeout: 600_000,
  // also on two cores: the long ones wait
  maxWorkers: 5,
  // a file that fails half-way leaves connections open; the run must end all the same
  forceExit: true,
};
