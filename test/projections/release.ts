import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization, createTenant } from '../../accounts/seed.js';
import type { Clock } from '../../kit/base/clock.js';
import { loadConfig } from '../../kit/base/config.js';
import { createLogger } from '../../kit/base/logger.js';
import { startBackground } from '../../kit/engine/background.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { defineEngine, type Engine } from '../../kit/engine/engine.js';
import type { SeenAsset } from '../../kit/engine/ingest-input.js';
import type { AssetProjection } from '../../kit/engine/projection.js';
import { defineProjection } from '../../kit/projections/define.js';
import type { ProjectionSource } from '../../kit/projections/facet.js';
import { importContext } from '../../processes/import-report.js';
import { openServices, type Opened } from '../../processes/services.js';
import { engines as listed } from '../../subgraphs/index.js';
import { projectionRefreshes, projectionVersions } from '../../subgraphs/di/refresh/records.js';
import { projectionRefreshTask, projectionVersionsTask } from '../../subgraphs/di/refresh/tasks.js';

/** The engines of a release that has one more projection. */
export const enginesWith = (facet: ProjectionSource): Engine[] => [
  ...listed,
  defineEngine({
    name: 'probe',
    label: 'Probe',
    description: 'A projection under test.',
    prefixes: ['probe'],
    typeDefs: '"A thing of no use."\ntype Probing { "Nothing." nothing: Int }',
    resolvers: {},
    parts: [
      defineProjection({
        ...{ facet, type: 'Probe', field: 'probes', path: '/probe/things', tag: 'probe', things: 'probes', permission: 'check:read' },
      }),
    ],
  }),
];

/** A release in this process, over a database that others may have filled before. */
export class Release {
  private constructor(readonly opened: Opened) {}

  static async open(MONGODB_DB: string, engines: readonly Engine[] = listed, clock?: Clock): Promise<Release> {
    const env = {
      MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI'],
      MONGODB_DB,
      PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'],
      OBJECT_DIR: mkdtempSync(join(tmpdir(), 'palisade-test-')),
    };
    return new Release(await openServices(loadConfig(env), createLogger('silent'), { engines, ...(clock && { clock }) }));
  }

  get database() {
    return this.opened.services.database;
  }

  projection(name: string): AssetProjection {
    return this.opened.services.ingest.projections.find((one) => one.name === name)!;
  }

  async tenant(): Promise<string> {
    const { services } = this.opened;
    const organization = await createOrganization(services, { name: 'Test' });
    return (await createTenant(services, { organization_id: organization._id, name: 'Test', plan: 'enterprise' }))._id;
  }

  /** Takes assets of a run in, as the import of an inventory does batch by batch. */
  async take(tenantId: string, seen: readonly SeenAsset[]): Promise<void> {
    const { services } = this.opened;
    const context = createEngineContext(services, 'scans', await importContext(services, tenantId), new AbortController().signal);
    for (let n = 0; n < seen.length; n += 500)
      await services.ingest.assets(context, { scan_run_id: randomUUID(), at: services.clock.now() }, seen.slice(n, n + 500), []);
  }

  /** What a start of this release does with stored assets, until nothing of it is due. */
  async refresh(): Promise<void> {
    const { services } = this.opened;
    const tasks = startBackground(services, [projectionVersionsTask, projectionRefreshTask]);
    await this.refreshed();
    await tasks.stop();
  }

  async refreshed(): Promise<void> {
    const { clock, ingest } = this.opened.services;
    for (;;) {
      const versions = await this.database.system(projectionVersions).find({ complete: true });
      const told = new Map(versions.map(({ _id, version }) => [_id, version]));
      const due = await this.database.system(projectionRefreshes).count({ due_at: { $lte: clock.now() } });
      if (due === 0 && ingest.projections.every(({ name, version }) => told.get(name) === version)) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The rows of a projection by resource, without what tells imports apart. */
  async rows(tenantId: string, name: string): Promise<Record<string, unknown>[]> {
    const rows = await this.database
      .tenant(tenantId)
      .collection(this.projection(name).rows)
      .find({}, { sort: { resource_uid: 1 } });
    return rows as unknown as Record<string, unknown>[];
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}

/** An asset of AWS, as an inventory tells it. */
export const assetOf = (resource_type: string, resource_uid: string, configuration: Record<string, unknown>): SeenAsset => ({
  ...{ resource_type, resource_uid, resource_name: resource_uid, provider: 'aws', account_id: '111122223333', region: 'eu-west-1' },
  configuration,
});
