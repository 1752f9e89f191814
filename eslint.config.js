import js from '@eslint/js';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

// Imports point one way: rest -> gateway -> subgraphs/index -> <engine> -> _kit -> schema. Each zone names what it may not import.
const zones = [
  { target: './schema', from: ['./subgraphs', './gateway', './rest', './importers', './catalog', './embedded', './cli', './worker', './demo'] },
  { target: './subgraphs/_kit', from: ['./subgraphs', './gateway', './rest', './importers', './catalog', './embedded', './cli', './worker'], except: ['./_kit'] },
  { target: './subgraphs', from: ['./gateway', './rest', './embedded', './cli', './worker'] },
  { target: './gateway', from: ['./rest', './cli', './worker'] },
  { target: './importers', from: ['./subgraphs', './gateway', './rest', './embedded'], except: ['./_kit/secret-keys.ts'] },
  { target: './embedded', from: ['./subgraphs', './gateway', './rest', './importers', './catalog', './schema'] },
];

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    plugins: { 'import-x': importX },
    languageOptions: { globals: { process: 'readonly', console: 'readonly', require: 'readonly', module: 'writable', __filename: 'readonly', __dirname: 'readonly' } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-require-imports': 'off',
      'import-x/no-restricted-paths': ['error', { zones }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
);
