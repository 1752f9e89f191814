import { lookup as resolve } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, fetch as undiciFetch, type RequestInit, type Response } from 'undici';

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
   * As `fetch`, but the address that a name resolves to is checked when the connection is made, so that a name which changes its mind
   * reaches nothing either. Redirects are not followed: the answer of 3xx comes back.
   * @param init `timeoutMs` ends the call, body included; 10,000 when absent
   * @throws ForbiddenTarget; what fetch throws
   */
  fetch(url: string, init?: RequestInit & { timeoutMs?: number }): Promise<Response>;
  /** The connections that `fetch` uses, for libraries that bring their own client. */
  readonly dispatcher: Agent;
  close(): Promise<void>;
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

const REFUSED = 'The target lies in a network that is not allowed';

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const address = ipaddr.parse(text.replace(/^\[|\]$/g, ''));
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() ? (address as ipaddr.IPv6).toIPv4Address() : address;
}

/**
 * @param allow networks in CIDR that are allowed although they are private (OUTBOUND_ALLOW); there plain http is allowed, too
 * @throws when an entry of `allow` is no CIDR
 */
export function createOutbound(allow: readonly string[] = []): Outbound {
  const allowed = allow.map((cidr) => ipaddr.parseCIDR(cidr) as Range);
  const isListed = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits));
  const assertAddress = (text: string): void => {
    const address = parseAddress(text);
    if (address.range() !== 'unicast' && !isListed(address)) throw new ForbiddenTarget(REFUSED);
  };

  const assertUrl = (text: string): void => {
    const url = URL.parse(text);
    if (!url) throw new ForbiddenTarget('The target is not a URL');
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (url.username || url.password) throw new ForbiddenTarget('The target must carry no credentials');
    if (isIP(host)) assertAddress(host);
    else if (/(^|\.)(localhost|local|internal|localdomain)\.?$/i.test(host) && allowed.length === 0) throw new ForbiddenTarget(REFUSED);
    const isPlainAllowed = url.protocol === 'http:' && allowed.length > 0 && (isIP(host) ? isListed(parseAddress(host)) : true);
    if (url.protocol !== 'https:' && !isPlainAllowed) throw new ForbiddenTarget('The target must be an https address');
  };

  const dispatcher = new Agent({
    connections: 16,
    connect: {
      timeout: 5_000,
      lookup: (hostname, options, callback) =>
        resolve(hostname, { ...options, all: true }, (error, addresses) => {
          if (error) return callback(error, '', 0);
          try {
            for (const { address } of addresses) assertAddress(address);
          } catch (refusal) {
            return callback(refusal as Error, '', 0);
          }
          if (options.all) return (callback as unknown as (e: null, a: typeof addresses) => void)(null, addresses);
          callback(null, addresses[0]!.address, addresses[0]!.family);
        }),
    },
  });

  return {
    assertAllowed: assertUrl,
    dispatcher,
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
    close: () => dispatcher.destroy(),
  };
}
