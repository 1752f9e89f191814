import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { mayImport, OUTSIDE, roomOf } from './rooms.js';

const root = dirname(fileURLToPath(import.meta.url));
const fromRoot = (path) => relative(root, path).replaceAll('\\', '/');

/** Refuses an import that rooms.js does not name, types included, and a file that lies in no room. */
const arrows = {
  create(context) {
    const file = fromRoot(context.filename);
    const from = roomOf(file);
    if (!from) return { Program: (node) => context.report({ node, message: `${file} lies in no room of rooms.js` }) };
    const check = (node) => {
      const source = node.source?.value;
      if (typeof source !== 'string' || !source.startsWith('.')) return;
      const target = fromRoot(join(dirname(context.filename), source));
      const to = roomOf(OUTSIDE.includes(target) ? target : target.replace(/\.js$/, '.ts'));
      if (!to) context.report({ node, message: `${target} lies in no room of rooms.js` });
      else if (!mayImport(from, to)) context.report({ node, message: `${from.name} must not import ${to.name}: rooms.js` });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      TSImportType: check,
    };
  },
};

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/', 'test/importers/fixtures/'] },
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
  { files: ['**/*.ts', '**/*.tsx'], plugins: { rooms: { rules: { arrows } } }, rules: { 'rooms/arrows': 'error' } },
);
