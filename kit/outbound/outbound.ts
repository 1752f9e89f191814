import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector, fetch as undiciFetch, type RequestInit, type Response } from 'undici';
import { AddressGuard } from './address.js';

/** A target that lies in a network which must not be reached from here. The message may be shown to the tenant. */
export class ForbiddenTarget extends Error {
  override readonly name = 'ForbiddenTarget';
}

/** Calls to addresses that tenants have entered: webhooks, integrations, identity providers, object storage. */
export interface Outbound {
  /**
   * Refuses what can be refused before any name is resolved: other schemes than https, credentials in the address, private literals.
   * @throws ForbiddenTarget
   */
  assertAllowed(url: string): void;
  /**
   * As `assertAllowed`, and refuses a name that resolves to a private address now. A name that does not resolve passes: it may later, and is
   * checked again at every connection.
   * @throws ForbiddenTarget
   */
  assertReachable(url: string): Promise<void>;
  /**
   * As `fetch`, but the address that a name resolves to is checked when the connection is made, so that a name which changes its mind
   * reaches nothing either. Redirects are not followed: the answer of 3xx comes back.
   * @param init `timeoutMs` ends the call, body included; 10,000 when absent
   * @throws ForbiddenTarget; what fetch throws
   */
  fetch(url: string, init?: RequestInit & { timeoutMs?: number }): Promise<Response>;
  /** The same guard for one who answers with a certificate of an authority of its own, which alone is trusted there. Close it when the work is done. */
  trusting(certificates: string): Outbound;
  /** The connections that `fetch` uses, for libraries that bring their own client: every connection is checked, whoever asks for it. */
  readonly dispatcher: Agent;
  close(): Promise<void>;
}

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6'; hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const REFUSED = 'The target lies in a network that is not allowed';
const NEEDS_HTTPS = 'The target must be an https address';
/** Names that mean this machine or its network. A name without a dot is one of the local network's, too. */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|localdomain|intranet|lan|home\.arpa)\.?$|^[^.]+\.?$/i;
/** Milliseconds for which saving an address waits for its name to resolve. */
const RESOLVE_MS = 2_000;

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

interface OutboundOptions {
  /** Resolves names; `dns.lookup` when absent. */
  readonly lookup?: Resolve;
  /** Certificates of the authorities that are trusted, in PEM; those of Node when absent. */
  readonly ca?: string;
}

/**
 * @param allow networks in CIDR that are allowed although they are private (OUTBOUND_ALLOW); there plain http is allowed, too
 * @throws when an entry of `allow` is no CIDR
 */
export function createOutbound(allow: readonly string[] = [], { lookup = systemLookup, ca }: OutboundOptions = {}): Outbound {
  const guard = new AddressGuard(allow);

  /** Plain http is readable on its way, so it goes to listed networks only. */
  const assertAddress = (address: string, protocol: string): void => {
    if (!guard.isAllowed(address)) throw new ForbiddenTarget(REFUSED);
    if (protocol !== 'https:' && !guard.isListed(address)) throw new ForbiddenTarget(NEEDS_HTTPS);
  };

  const assertUrl = (text: string): URL => {
    const url = URL.parse(text);
    if (!url) throw new ForbiddenTarget('The target is not a URL');
    const host = hostOf(url);
    if (url.username || url.password) throw new ForbiddenTarget('The target must carry no credentials');
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && guard.hasExceptions)) throw new ForbiddenTarget(NEEDS_HTTPS);
    if (isIP(host)) assertAddress(host, url.protocol);
    else if (LOCAL_NAME.test(host) && !guard.hasExceptions) throw new ForbiddenTarget(REFUSED);
    return url;
  };

  /** A lookup that gives a name's addresses only when every one of them may be called. */
  const guardedLookup =
    (protocol: string): LookupFunction =>
    (hostname, options, callback) =>
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '');
        try {
          for (const { address } of addresses) assertAddress(address, protocol);
        } catch (refusal) {
          return callback(refusal as ForbiddenTarget, '');
        }
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      });

  const connectors = new Map(
    ['http:', 'https:'].map((protocol) => [
      protocol,
      buildConnector({ timeout: 5_000, lookup: guardedLookup(protocol), ...(ca !== undefined && { ca }) }),
    ]),
  );
  const dispatcher = new Agent({
    connections: 16,
    connect: (options, callback) => {
      try {
        // a literal is never looked up
        if (isIP(options.hostname)) assertAddress(options.hostname, options.protocol);
      } catch (refusal) {
        return callback(refusal as ForbiddenTarget, null);
      }
      connectors.get(options.protocol)!(options, callback);
    },
  });

  return {
    assertAllowed: (url) => void assertUrl(url),
    dispatcher,
    async assertReachable(text) {
      const url = assertUrl(text);
      const host = hostOf(url);
      if (isIP(host)) return;
      const refusal = new Promise<Error | null>((resolve) =>
        guardedLookup(url.protocol)(host, { all: true }, (error) => resolve(error instanceof ForbiddenTarget ? error : null)),
      );
      const refused = await Promise.race([refusal, sleep(RESOLVE_MS, null, { ref: false })]);
      if (refused) throw refused;
    },
    async fetch(url, { timeoutMs = 10_000, ...init } = {}) {
      assertUrl(url);
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
      try {
        return await undiciFetch(url, { ...init, redirect: 'manual', signal, dispatcher });
      } catch (error) {
        const { cause } = error as { cause?: unknown };
        throw cause instanceof ForbiddenTarget ? cause : error;
      }
    },
    trusting: (certificates) => createOutbound(allow, { lookup, ca: certificates }),
    close: () => dispatcher.destroy(),
  };
}
