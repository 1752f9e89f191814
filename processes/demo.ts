import { loadAccounts, type DemoAccounts } from '../demo/accounts.js';
import { loadReports } from '../demo/reports.js';
import type { DemoStatus } from '../gateway/status.js';
import { connectRecorded } from '../subgraphs/onboarding/accounts/recorded.js';
import type { EngineServices } from '../kit/engine/context.js';

/** An account to scan: POST /api/v1/scans with it takes in what was recorded of one. */
const STAGING = {
  tenant_id: 'acme-prod',
  account_id: '777788889999',
  provider: 'aws',
  name: 'Acme staging (a recording)',
  recording: 'acme-staging',
} as const;

/** The demo of a process: its accounts are there before it listens, its reports come behind. */
export class Demo {
  #status: DemoStatus = { status: 'loading', reports: 0, loaded: 0 };
  #ended = new AbortController();
  #loading: Promise<void> | undefined;

  private constructor(
    readonly accounts: DemoAccounts,
    private readonly services: EngineServices,
  ) {}

  /** @returns null when the store holds something else than the demo */
  static async open(services: EngineServices): Promise<Demo | null> {
    const accounts = await loadAccounts(services);
    return accounts && new Demo(accounts, services);
  }

  get status(): DemoStatus {
    return this.#status;
  }

  /** Imports the reports, once. @returns a promise of the end, whatever came of it: `status` says */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    try {
      await loadReports(this.services, (progress) => (this.#status = { status: 'loading', ...progress }), this.#ended.signal);
      await connectRecorded(this.services, STAGING);
      this.#status = { ...this.#status, status: 'loaded' };
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      this.#status = { ...this.#status, status: 'failed' };
      this.services.logger.error({ err: error }, 'the demo could not be loaded; the next start goes on with it');
    }
  }

  /** Stops between two looks at a report's run; the next start goes on. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#loading;
  }
}
