// Jest's transform: one TypeScript (or ES module) file in, CommonJS out, through esbuild. The options hash keys Jest's cache.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { sep } = require('node:path');
const { transformSync, version } = require('esbuild');

const OPTIONS = {
  format: 'cjs',
  target: 'node20',
  sourcemap: 'inline',
  // Jest has no loader for import() within CommonJS: it becomes require()
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__importMetaUrl', 'import.meta.dirname': '__dirname' },
  banner: "const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;",
};

// esbuild exports by getters, two deep, for the sake of modules that import each other, and reading a constant through them costs more than the loops that
// read it. No file of ours imports itself through others (test/kit/file-circles.test.ts), so once it has run its exports are values.
const VALUES = "module.exports = Object.defineProperty({ ...module.exports }, '__esModule', { value: true });";
const isPackage = (path) => path.includes(`${sep}node_modules${sep}`);

module.exports = {
  process: (source, path) => ({
    code: transformSync(source, {
      ...OPTIONS,
      loader: path.endsWith('ts') ? 'ts' : 'js',
      sourcefile: path,
      footer: isPackage(path) ? '' : VALUES,
    }).code,
  }),
  getCacheKey: (source, path, { configString }) =>
    createHash('sha1')
      .update([version, JSON.stringify(OPTIONS), readFileSync(__filename), configString, path, source].join('\0'))
      .digest('hex'),
};
