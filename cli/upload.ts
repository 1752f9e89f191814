import { createReadStream, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { z } from 'zod';
import type { FollowedRun, ImportParameters } from '../processes/import-report.js';
import { version } from '../processes/version.js';
import { UsageError } from './command-line.js';

/** A running server, and the key that reports are sent to it with. */
export interface Target {
  /** Where /api/v1 is, without a slash at its end. */
  readonly base: string;
  readonly key: string;
}

const KEY = /^psk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$/;
const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);

/**
 * Reads where reports go. A key stands in PALISADE_API_KEY or in a file, never in an argument, which other users of the machine see; it is sent over
 * TLS, or to this very machine (decision 65).
 * @throws UsageError
 */
export function targetOf(server: string, keyFile: string | undefined, env: Record<string, string | undefined>): Target {
  const base = baseOf(server);
  if (keyFile !== undefined && env['PALISADE_API_KEY']) throw new UsageError('--key-file and PALISADE_API_KEY exclude each other');
  const key = (keyFile === undefined ? env['PALISADE_API_KEY'] : readKey(keyFile))?.trim();
  if (!key)
    throw new UsageError('set PALISADE_API_KEY to an API key with scans:create and scans:read, or name a --key-file that holds one');
  if (!KEY.test(key)) throw new UsageError('what was given as the API key is none: keys begin with psk_');
  return { base, key };
}

/** Where a server's addresses begin, without a slash at the end: over TLS, or on this very machine (decision 65). @throws UsageError */
export function baseOf(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('--server is an address such as https://palisade.example.com');
  if (url.username || url.password || url.search || url.hash)
    throw new UsageError('--server is an address without a user, a query or a fragment');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UsageError('--server needs https:// : a key is sent in the clear to this machine only');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--key-file: ${(error as Error).message}`);
  }
}

const runSchema = z.object({
  scan_run_id: z.string(),
  state: z.string(),
  format: z.string(),
  counts: z.object({
    records: z.number(),
    skipped: z.number(),
    new: z.number(),
    updated: z.number(),
    resolved: z.number(),
    regressed: z.number(),
  }),
  errors: z.array(z.object({ position: z.string(), reason: z.string() })).default([]),
  total_findings: z.number().nullable().default(null),
});
const envelopeSchema = z.object({ message: z.string(), detail: z.unknown() });
const FINAL = new Set(['COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED']);

/** Milliseconds: for the answer's head, between two looks at a run, and for which a server may be away while a run is followed. */
const TIMES = { head: 120_000, firstLook: 200, longestLook: 5_000, away: 300_000 };

/** What may be over later. */
class TryLater extends Error {
  constructor(
    message: string,
    /** The server did nothing with the call: it had too many of them. Otherwise nobody knows. */
    readonly untouched: boolean,
    /** Milliseconds. */
    readonly pause: number,
  ) {
    super(message);
  }
}

/** Sends reports to one server. */
export class Uploader {
  private readonly dispatcher: Dispatcher;

  constructor(private readonly target: Target) {
    const options = { headersTimeout: TIMES.head };
    // HTTPS_PROXY and NO_PROXY hold for a pipeline behind a proxy, which sees nothing of what goes through over TLS
    this.dispatcher = target.base.startsWith('https:') && hasProxy(process.env) ? new EnvHttpProxyAgent(options) : new Agent(options);
  }

  /**
   * Sends one report, as it is read, and follows its run to the end.
   * @param onProgress called with the run as it goes on
   * @throws an Error with the reason when the report is refused or the server cannot be reached
   */
  async send(file: string, parameters: ImportParameters, onProgress: (run: FollowedRun) => void): Promise<FollowedRun> {
    const query = new URLSearchParams(Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined));
    const headers = { 'content-type': 'application/octet-stream', ...lengthOf(file) };
    let run = await this.repeat(false, () =>
      this.ask(`/api/v1/scans/imports?${query}`, { method: 'POST', headers, body: createReadStream(file) }),
    );
    for (let pause = TIMES.firstLook; !FINAL.has(run.state); pause = Math.min(pause * 1.5, TIMES.longestLook)) {
      await sleep(pause);
      run = await this.repeat(true, () => this.ask(`/api/v1/scan-runs/${encodeURIComponent(run.scan_run_id)}`, { method: 'GET' }));
      onProgress(run);
    }
    return run;
  }

  close(): Promise<void> {
    return this.dispatcher.close();
  }

  /** Tries again what may be over later. @param harmless whether the call may be made twice */
  private async repeat(harmless: boolean, call: () => Promise<FollowedRun>): Promise<FollowedRun> {
    const end = Date.now() + TIMES.away;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const again = error instanceof TryLater && (harmless || error.untouched) && Date.now() + error.pause < end;
        if (!again) throw error;
        await sleep(error.pause);
      }
    }
  }

  private async ask(path: string, options: { method: 'GET' | 'POST'; headers?: Record<string, string>; body?: Readable }) {
    const { statusCode, headers, body } = await request(`${this.target.base}${path}`, {
      ...options,
      headers: { ...options.headers, authorization: `Bearer ${this.target.key}`, 'user-agent': `palisade/${version}` },
      dispatcher: this.dispatcher,
    }).catch((error: NodeJS.ErrnoException) => {
      throw new TryLater(`${this.target.base} cannot be reached: ${error.message || error.code}`, false, TIMES.longestLook);
    });
    const text = await body.text();
    if (statusCode >= 300 && statusCode < 400)
      throw new Error(
        `the server redirects to ${String(headers['location'] ?? 'nowhere')}, which is not followed: name the server's own address`,
      );
    const answer = parsed(text);
    if (statusCode < 300) {
      const run = runSchema.safeParse(answer);
      if (!run.success) throw new Error(`${this.target.base} answers, but not as Palisade does: is --server right?`);
      return run.data;
    }
    const reason = reasonIn(answer) ?? 'which is no answer of Palisade: is --server right?';
    if (statusCode === 429) throw new TryLater(`${statusCode} ${reason}`, true, Number(headers['retry-after'] ?? 1) * 1_000);
    if (statusCode >= 500) throw new TryLater(`${statusCode} ${reason}`, false, TIMES.longestLook);
    throw new Error(`${statusCode} ${reason}`);
  }
}

const hasProxy = (env: NodeJS.ProcessEnv): boolean => Boolean(env['https_proxy'] ?? env['HTTPS_PROXY']);

/** The length of a file; what is no file, such as a pipe, is sent in chunks. */
function lengthOf(file: string): { 'content-length'?: string } {
  const stats = statSync(file);
  return stats.isFile() ? { 'content-length': String(stats.size) } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message of an error envelope, with the violations that it lists. */
function reasonIn(answer: unknown): string | null {
  const { success, data } = envelopeSchema.safeParse(answer);
  if (!success) return null;
  const violations = z.array(z.object({ message: z.string() })).safeParse(data.detail);
  return [data.message, ...(violations.success ? violations.data.map(({ message }) => message) : [])].join(': ');
}
