// npm run bench -- NAME...: runs the named benchmarks, or all. Each prints its ratios.
const NAMES = [
  'list',
  'detail',
  'import',
  'start',
  'evaluate',
  'check',
  'auth',
  'audit',
  'webhooks',
  'fairness',
  'projections',
  'store',
  'processes',
  'answers',
  'map',
  'paths',
  'readers',
  'mutations',
  'events',
  'detections',
  'indicators',
  'exports',
  'bulk-triage',
  'vulnerabilities',
  'advisories',
  'matching',
  'console-scroll',
] as const;
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(NAMES as readonly string[]).includes(name));
if (unknown.length) {
  process.stderr.write(`unknown benchmark: ${unknown.join(', ')}; there are ${NAMES.join(', ')}\n`);
  process.exitCode = 2;
} else {
  process.env['APOLLO_TELEMETRY_DISABLED'] = 'true';
  process.env['NODE_ENV'] = 'production';
  for (const name of asked.length ? asked : NAMES) {
    process.stdout.write(`\n== bench/${name}\n`);
    await import(`./${name}.js`);
  }
}
