import { createGraph } from './gateway/graph/graph.js';
import { createLocalCaller } from './gateway/transports/local.js';
import { defineEngine } from './subgraphs/_kit/engine.js';
import { authOf, fakeServices, recordingLogger, supportEngines } from './test/gateway/support-engines.js';
const cols = ['finding_id','title','status','provider','account_id','region','resource_type','resource_uid','resource_name','rule_id','a','b','c'];
const rows = Array.from({ length: 50 }, (_, i) => ({ ...Object.fromEntries(cols.map((c) => [c, `${c}-${i}`])), severity: 'high', risk_score: i, seen: new Date() }));
const { logger } = recordingLogger();
const e = defineEngine({ name: 'bench', label: '', description: '', prefixes: [], typeDefs: `type Row @key(fields: "resource_uid") { ${cols.map((c) => `${c}: ${c === 'resource_uid' ? 'ID!' : 'String!'}`).join(' ')} severity: Severity! risk_score: Int! seen: DateTime! } type RowPage { items: [Row!]! total: Int! } type Query { rows(page_size: Int): RowPage! @permission(requires: "check:read") arows(page_size: Int): RowPage! @permission(requires: "check:read") } `,
 resolvers: { Query: { rows: () => ({ items: rows, total: 50 }), arows: async () => ({ items: rows, total: 50 }) }, Row: { __resolveReference: (r: {resource_uid: string}) => rows.find((x) => x.resource_uid === r.resource_uid) } } });
const e2 = defineEngine({ name: 'b2', label: '', description: '', prefixes: [], typeDefs: `type Row @key(fields: "resource_uid") { resource_uid: ID! extra: String extra2: Int} type Query { x: String @permission(requires: "any") }`, resolvers: { Row: { __resolveReference: (r: {resource_uid: string}) => ({ ...r, extra: 'x', extra2: 1 }) } } });
const engines = [...supportEngines, e, e2];
let t = performance.now();
const caller = createLocalCaller({ engines, services: fakeServices, logger, timeoutMs: 10_000 });
console.log('local caller', performance.now() - t); t = performance.now();
const graph = await createGraph({ engines, caller, logger, localSchemas: caller.schemas });
console.log('createGraph', performance.now() - t);
const sel = `items { ${[...cols, 'severity', 'risk_score', 'seen'].slice(0, 16).join(' ')} } total`;
const auth = authOf('analyst');
async function bench(name: string, fn: () => Promise<unknown>, n = 3000) {
  for (let i = 0; i < 500; i++) await fn();
  const t = performance.now(); for (let i = 0; i < n; i++) await fn();
  console.log(name, ((performance.now() - t) / n * 1000).toFixed(1), 'us');
}
t = performance.now(); const op = graph.prepare(`query Q($n: Int) { rows(page_size: $n) { ${sel} } }`) as any; console.log('prepare', performance.now() - t, op.way);
const call = { auth, variables: { n: 50 } };
await bench('plain js', async () => ({ data: { rows: { items: rows.map((r) => ({ ...r, seen: r.seen.toISOString() })), total: 50 } } }));
await bench('single', async () => { graph.authorize(op, call); return graph.execute(op, call); });
await bench('single+prepare', async () => { const o = graph.prepare(op.query); graph.authorize(o, call); return graph.execute(o, call); });
await bench('single via joined', () => graph.execute(op.by('joined'), call));
const opj = op.by('joined'); const opa = op.by('apollo');
await bench('joined (kept)', () => graph.execute(opj, call));
await bench('apollo', () => graph.execute(opa, call), 300);
const j = graph.prepare(`{ rows { items { resource_uid title extra extra2 } } }`) as any; const ja = j.by('apollo');
await bench('join 50 entities', () => graph.execute(j, { auth }));
await bench('join 50 entities apollo', () => graph.execute(ja, { auth }), 300);
const tiny = graph.prepare('{ ping }');
await bench('tiny', () => graph.execute(tiny, { auth }));
