import type { EngineServices } from '../kit/engine/context.js';
import { ThreadPool } from '../kit/work/thread-pool.js';

/** People try rules two at a time, in threads of half a gigabyte at most. */
const TRIALS = { most: 2, memoryMb: 512 };

/** The threads of a process, for work that a tenant can make large. None runs before there is work for it. */
export const openThreads = (): EngineServices['threads'] => ({
  reports: new ThreadPool(new URL('../subgraphs/scans/report-thread.js', import.meta.url)),
  evaluations: new ThreadPool(new URL('../subgraphs/scans/evaluation-thread.js', import.meta.url)),
  networks: new ThreadPool(new URL('../subgraphs/network-security/network-thread.js', import.meta.url)),
  access: new ThreadPool(new URL('../subgraphs/iam/access/access-thread.js', import.meta.url)),
  edges: new ThreadPool(new URL('../subgraphs/di/access/edges-thread.js', import.meta.url)),
  entitlements: new ThreadPool(new URL('../subgraphs/ciem/entitlements/entitlements-thread.js', import.meta.url)),
  paths: new ThreadPool(new URL('../subgraphs/attack-path/paths-thread.js', import.meta.url)),
  neighbours: new ThreadPool(new URL('../subgraphs/attack-path/neighbours-thread.js', import.meta.url)),
  trials: new ThreadPool(new URL('../subgraphs/rules/trial-thread.js', import.meta.url), TRIALS),
});
