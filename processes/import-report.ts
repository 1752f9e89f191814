import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { permissionsOf } from '../schema/permissions.js';
import { systemAuthContext, type AuthContext } from '../kit/base/auth-context.js';
import type { EngineServices } from '../kit/engine/context.js';
import { tenants } from '../accounts/records.js';

/** What a shell or the demo may say of a report; the parameters of POST /api/v1/scans/imports. */
export interface ImportParameters {
  scan_run_id?: string;
  format?: string;
  account_id?: string;
  region?: string;
  artifact?: string;
  provider?: string;
  /** ISO 8601. */
  observed_at?: string;
}

/** A scan run as an importer of reports follows it. */
export interface FollowedRun {
  scan_run_id: string;
  state: string;
  format: string;
  counts: { records: number; skipped: number; new: number; updated: number; resolved: number; regressed: number };
  errors: { position: string; reason: string }[];
  total_findings: number | null;
}

const RUN = 'scan_run_id state format counts { records skipped new updated resolved regressed } errors { position reason } total_findings';
/** Parameter -> its type in the graph. */
const PARAMETERS = {
  scan_run_id: 'String',
  format: 'String',
  account_id: 'String',
  region: 'String',
  artifact: 'String',
  provider: 'Provider',
  observed_at: 'DateTime',
} as const satisfies Record<keyof ImportParameters, string>;
const VARIABLES = Object.entries(PARAMETERS).map(([name, type]) => `$${name}: ${type}`);
const ARGUMENTS = Object.keys(PARAMETERS).map((name) => `${name}: $${name}`);
const IMPORT = `mutation($upload_id: ID!, ${VARIABLES.join(', ')}) {
  run: import_report(upload_id: $upload_id, ${ARGUMENTS.join(', ')}) { ${RUN} }
}`;
const FOLLOW = `query($id: String!) { run: scan_run(scan_run_id: $id) { ${RUN} } }`;
const FINAL = new Set(['COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED']);
/** Codes that leave open whether the engine holds the upload. */
const UNCERTAIN = new Set(['UPSTREAM_UNAVAILABLE', 'INTERNAL']);
const MIB = 1_048_576;

/** The engine has refused the report; `code` is that of the error table. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The context of an import that no request carries. @throws when there is no such tenant */
export async function importContext({ database }: EngineServices, tenantId: string): Promise<AuthContext> {
  const tenant = await database.tenant(tenantId).collection(tenants).findOne({ _id: tenantId });
  if (!tenant) throw new Error(`there is no tenant ${tenantId}`);
  return systemAuthContext(tenant, 'analyst', permissionsOf('analyst'));
}

/**
 * Imports one report through the operation behind POST /api/v1/scans/imports and follows its run to the end.
 * @param onProgress called with the run as it goes on
 * @param signal ends the following, not the run
 * @throws an Error with the reason when the report is refused; the reason of the signal
 */
export async function importReport(
  services: EngineServices,
  auth: AuthContext,
  body: Readable,
  parameters: ImportParameters,
  onProgress: (run: FollowedRun) => void = () => {},
  signal?: AbortSignal,
): Promise<FollowedRun> {
  signal?.throwIfAborted();
  const { id: upload_id } = await services.objects.put(auth.tenant_id, body, { maxBytes: services.config.MAX_IMPORT_MB * MIB });
  let run: FollowedRun;
  try {
    run = await ask(services, auth, IMPORT, { upload_id, ...parameters });
  } catch (error) {
    // an engine that did not answer in time may be at it still: what it leaves alone is swept by age
    if (error instanceof ImportRefused) await services.objects.remove(auth.tenant_id, upload_id);
    throw error;
  }
  for (let pause = 5; !FINAL.has(run.state); pause = Math.min(pause * 2, 160)) {
    await sleep(pause, undefined, { signal });
    run = await ask(services, auth, FOLLOW, { id: run.scan_run_id });
    onProgress(run);
  }
  return run;
}

async function ask({ caller }: EngineServices, auth: AuthContext, query: string, variables: Record<string, unknown>): Promise<FollowedRun> {
  const { data, errors } = await caller.call<{ run: FollowedRun }>({ engine: 'scans', query, variables, auth });
  if (!errors?.length) return data!.run;
  const { message, extensions } = errors[0]!;
  const detail = extensions['detail'] as { message?: string }[] | null | undefined;
  const text = [message, ...(Array.isArray(detail) ? detail.map((violation) => violation.message) : [])].join(': ');
  const code = String(extensions['code']);
  throw UNCERTAIN.has(code) ? new Error(text) : new ImportRefused(code, text);
}
