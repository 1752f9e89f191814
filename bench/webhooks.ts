// Events to a healthy endpoint, alone and beside one that takes connections and never answers.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { permissionsOf } from '../schema/permissions.js';
import { systemAuthContext } from '../kit/base/auth-context.js';
import { deploy, startServer, stores, type Deployment } from './deployment.js';
import { ocsfReport } from './reports.js';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000);
const CREATE = 'mutation($input: CreateWebhookInput!) { create_webhook(input: $input) { webhook_id } }';

/** An endpoint on loopback. @param answers whether it ever does */
async function endpoint(answers: boolean) {
  const ids = new Set<string>();
  const server = createServer(async (request, response) => {
    await text(request);
    ids.add(String(request.headers['webhook-id']));
    if (answers) response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    ids,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function addWebhook({ opened, tenantId }: Deployment, url: string): Promise<void> {
  const tenant = { tenant_id: tenantId, organization_id: 'bench', plan: 'enterprise' } as const;
  const auth = systemAuthContext(tenant, 'tenant_admin', permissionsOf('tenant_admin'));
  const variables = { input: { url, events: ['finding.open'] } };
  const { errors } = await opened.services.caller.call({ engine: 'events', query: CREATE, variables, auth });
  if (errors?.length) throw new Error(JSON.stringify(errors));
}

/** Seconds from the start of an import of EVENTS new findings until all of them have been told, and from its end. */
async function run(uri: string, withDead: boolean): Promise<{ all: number; afterImport: number }> {
  const deployment = await deploy(uri, { OUTBOUND_ALLOW: '127.0.0.0/8' });
  const [healthy, dead] = [await endpoint(true), await endpoint(false)];
  await addWebhook(deployment, healthy.url);
  if (withDead) await addWebhook(deployment, dead.url);
  const server = await startServer(deployment);
  const headers = { cookie: deployment.cookie };
  const began = performance.now();
  const body = Buffer.concat((await Readable.from(ocsfReport(EVENTS)).toArray()).map((part: string | Buffer) => Buffer.from(part)));
  await fetch(`${server.ready}/api/v1/scans/imports?scan_run_id=bench`, { method: 'POST', headers, body });
  let imported = 0;
  while (healthy.ids.size < EVENTS) {
    if (!imported) {
      const { state } = (await (await fetch(`${server.ready}/api/v1/scan-runs/bench`, { headers })).json()) as { state: string };
      if (state === 'COMPLETED') imported = performance.now();
    }
    if (performance.now() - began > 120_000) throw new Error(`${healthy.ids.size} of ${EVENTS} events came`);
    await sleep(10);
  }
  const end = performance.now();
  await server.stop();
  healthy.close();
  dead.close();
  await deployment.close();
  return { all: (end - began) / 1000, afterImport: Math.max(0, (end - (imported || end)) / 1000) };
}

for await (const store of stores()) {
  const alone = await run(store.uri, false);
  const beside = await run(store.uri, true);
  const shown = ({ all, afterImport }: typeof alone) => `${all.toFixed(2)} s (${afterImport.toFixed(2)} s after the import's end)`;
  console.log(
    `${store.name}, ${EVENTS} events, import and signing included: alone ${shown(alone)}, beside a dead endpoint ${shown(beside)}`,
  );
  console.log(`  under 10 s; beside a dead endpoint it takes ${(beside.all / alone.all).toFixed(2)} of the time alone (about 1)`);
}
