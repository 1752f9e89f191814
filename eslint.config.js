import js from '@eslint/js';
import tseslint from 'typescript-eslint';

// Imports point one way: rest -> gateway -> subgraphs/index -> <engine> -> _kit -> schema. Each folder names what it may not import.
const OUTER = ['rest', 'processes', 'cli', 'demo', 'bench', 'test'];
const FORBIDDEN = {
  schema: [...OUTER, 'gateway', 'subgraphs', 'importers', 'catalog', 'embedded'],
  importers: [...OUTER, 'gateway', 'subgraphs/(?!_kit/secret-)', 'embedded'],
  embedded: [...OUTER, 'gateway', 'subgraphs', 'importers', 'catalog', 'schema'],
  'subgraphs/_kit': [...OUTER, 'gateway', 'importers', 'catalog', 'embedded'],
  subgraphs: [...OUTER, 'gateway', 'embedded'],
  gateway: [...OUTER, 'importers', 'catalog', 'embedded'],
  rest: ['processes', 'cli', 'demo', 'bench', 'test', 'importers', 'catalog', 'embedded'],
};
const restrict = (folder, patterns) => ({
  files: [`${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: patterns.map((regex) => ({ regex, message: `${folder} must not import this: imports point one way` })) },
    ],
  },
});

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        require: 'readonly',
        module: 'writable',
        globalThis: 'readonly',
        __filename: 'readonly',
        __dirname: 'readonly',
      },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-require-imports': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  ...Object.entries(FORBIDDEN).map(([folder, names]) =>
    restrict(
      folder,
      names.map((name) => `^(\\.\\./)+${name}${name.includes('(') ? '' : '/'}`),
    ),
  ),
  // an engine knows its own folder and the kit, never another engine; a part of an engine lies one folder deeper
  ...[
    ['subgraphs/*/*.ts', '^\\.\\./(?!_kit/|\\.\\./)'],
    ['subgraphs/*/*/**/*.ts', '^\\.\\./\\.\\./(?!_kit/|\\.\\./)'],
  ].map(([files, others]) => ({
    files: [files],
    ignores: ['subgraphs/_kit/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [...FORBIDDEN.subgraphs.map((name) => `^(\\.\\./)+${name}/`), others].map((regex) => ({
            regex,
            message: 'an engine imports _kit, catalog, importers, schema and its own folder only',
          })),
        },
      ],
    },
  })),
);
