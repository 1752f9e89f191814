import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectionRefused, type Collector, type Target } from '../../collectors/types.js';
import { permissionsOf } from '../../schema/permissions.js';
import { systemAuthContext } from '../../kit/base/auth-context.js';
import { loadConfig } from '../../kit/base/config.js';
import { createLogger } from '../../kit/base/logger.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import type { JobProgress, JobRun } from '../../kit/engine/job.js';
import { openServices, type Opened } from '../../processes/services.js';
import { connectAccount, changeAccount, findCloudAccount } from '../../subgraphs/onboarding/accounts/service.js';
import { validateJob } from '../../subgraphs/onboarding/accounts/validate.js';
import { openWorld, type World } from '../support/world.js';

let world: World;
let opened: Opened;
beforeAll(async () => {
  world = await openWorld();
  const env = {
    MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI'],
    MONGODB_DB: process.env['PALISADE_TEST_DB'],
    PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'],
    OBJECT_DIR: mkdtempSync(join(tmpdir(), 'palisade-test-onboarding-')),
  };
  opened = await openServices(loadConfig(env), createLogger('silent'));
});
afterAll(async () => {
  await opened.close();
  await world.close();
});

const ACCOUNT = '123456789012';
const connection = { role: { role_arn: `arn:aws:iam::${ACCOUNT}:role/palisade` } };

/** A tenant with a connected account, whose connection is tried by a collector of the test. */
async function workbench() {
  const { tenant, as } = await world.tenant();
  const { user } = await as('org_admin');
  const system = systemAuthContext(tenant, 'org_admin', permissionsOf('org_admin'));
  const auth = { ...system, user_id: user!._id, email: user!.email };
  const context = createEngineContext(opened.services, 'onboarding', auth, new AbortController().signal);
  const made = await connectAccount(context, { provider: 'aws', account_id: ACCOUNT, connection });
  const progress: JobProgress[] = [];
  const job: JobRun = {
    ...{ context, payload: { account_id: ACCOUNT }, alive: () => undefined, isFollowed: true, position: null, result: null },
    advance: async (_transaction, told) => void progress.push(told),
  };
  const run = (tryOut: Collector['tryOut']) => validateJob(() => ({ aws: { tryOut } })).run(job);
  return { context, made, run, progress, account: () => findCloudAccount(context, ACCOUNT) };
}

/** A trial that fails before it has tried anything. */
const failing = (error: Error): Collector['tryOut'] =>
  async function* () {
    yield await Promise.reject<never>(error);
  };

const granting = (...missing: string[]): Collector['tryOut'] =>
  async function* () {
    for (const service of ['s3', 'iam']) yield { service, permission: `${service}:List`, granted: !missing.includes(service) };
  };

it('an account is connected once nothing is missing, and degraded again when something is', async () => {
  const { run, account, progress, made } = await workbench();
  expect(made).toMatchObject({ state: 'degraded', validated_at: null, problem: expect.stringContaining('not been tried') as string });
  await run(granting());
  expect(await account()).toMatchObject({ state: 'connected', permissions_granted: ['s3:List', 'iam:List'], problem: null });
  await run(granting('iam'));
  expect(await account()).toMatchObject({ state: 'degraded', permissions_granted: ['s3:List'], permissions_missing: ['iam:List'] });
  expect(progress.at(-1)).toMatchObject({ done: 2, result: { state: 'degraded', permissions_missing: ['iam:List'] } });
});

it('the collector is told the account, its external id and what lets in', async () => {
  const { run, made } = await workbench();
  let told: Target | undefined;
  await run(async function* (target) {
    told = target;
    yield* [];
  });
  expect(told).toMatchObject({ provider: 'aws', account_id: ACCOUNT, regions: [], services: [] });
  expect(told!.connection).toEqual({ method: 'role', values: connection.role, external_id: made.external_id });
});

it('a connection that is refused says why, and a fault of ours changes nothing', async () => {
  const { run, account } = await workbench();
  await run(failing(new ConnectionRefused('The role lets in who names no external id.')));
  expect(await account()).toMatchObject({ state: 'degraded', problem: 'The role lets in who names no external id.' });
  const before = await account();
  await expect(run(failing(new Error('the network is away')))).rejects.toThrow('the network is away');
  expect(await account()).toEqual(before);
});

it('what a trial has shown is not said of a connection that was rotated meanwhile', async () => {
  const { context, run, account } = await workbench();
  await run(async function* () {
    await changeAccount(context, ACCOUNT, { connection }, null);
    yield { service: 's3', permission: 's3:List', granted: true };
  });
  expect(await account()).toMatchObject({ state: 'degraded', validated_at: null });
});

it('who asked for the trial and may not any more does not get it', async () => {
  const { context, run, account } = await workbench();
  const lessened = { ...context.auth, user_id: 'nobody' };
  Object.assign(context, { auth: lessened });
  await expect(run(granting())).rejects.toThrow('no longer a member');
  expect(await account()).toMatchObject({ validated_at: null });
});
