import type { SourceSeen } from '../../../kit/read/workload-findings.js';

/** As `ProtectionState` of the graph. */
export interface ProtectionState {
  readonly holds: boolean | null;
  readonly reason: string;
  readonly seen_at: Date | null;
}

/** An agent that sent its last report longer ago does not protect. */
const AGENT_WITHIN = 24 * 3_600_000;

const unknown = (reason: string): ProtectionState => ({ holds: null, reason, seen_at: null });
const latest = (times: readonly Date[]): Date | null =>
  times.reduce<Date | null>((last, time) => (last === null || time > last ? time : last), null);

/** What a workload is, as far as protection goes by it. */
export interface WorkloadFacts {
  readonly kind: string | null;
  /** No cloud tells of it: its name is that of the host. */
  readonly isReported: boolean;
  /** The images that it names; null where it names none. */
  readonly image: string | null;
}

/** @param reports when the agents of hosts of its name last reported; null of one that has not yet */
export function agentState({ kind, isReported }: WorkloadFacts, reports: readonly (Date | null)[], now: Date): ProtectionState {
  if (kind !== 'vm') return unknown(kind === null ? 'What runs is not known.' : 'Agents run on hosts; this is none.');
  if (reports.length === 0)
    return isReported
      ? { holds: false, reason: 'No agent is enrolled on the host.', seen_at: null }
      : unknown('No enrolled agent has the name of this machine; it may go by another one.');
  const last = latest(reports.flatMap((time) => time ?? []));
  if (last === null) return { holds: false, reason: 'The agent of the host has not reported yet.', seen_at: null };
  const holds = now.getTime() - last.getTime() <= AGENT_WITHIN;
  return { holds, reason: `The agent of the host last reported at ${last.toISOString()}.`, seen_at: last };
}

/** @param seen what sensors have reported on it */
export function sensorState(seen: readonly SourceSeen[]): ProtectionState {
  const last = seen.reduce<SourceSeen | null>((one, other) => (one === null || other.last_seen_at > one.last_seen_at ? other : one), null);
  if (last === null) return unknown('No sensor has reported on it: sensors tell what they see, and not where they run.');
  return { holds: true, reason: `${last.source} last reported on it at ${last.last_seen_at.toISOString()}.`, seen_at: last.last_seen_at };
}

/** An image that containers of a workload are started from. */
export interface ImageFacts {
  readonly uid: string;
  /** Whether a scanner has told what is in it, and when where that is known. */
  readonly isScanned: boolean;
  readonly scanned_at: Date | null;
}

/** @param more images that the workload has beside these */
export function imageState({ kind, image }: WorkloadFacts, images: readonly ImageFacts[], more: number): ProtectionState {
  if (images.length === 0) {
    if (kind !== 'container') return unknown('It is not started from an image of containers, as far as the inventory tells.');
    // an image that a scanner has looked into is in the inventory
    if (image !== null && !image.includes('${'))
      return { holds: false, reason: `No scanner has looked into ${image.slice(0, 500)}.`, seen_at: null };
    return unknown('It names no image that could be looked for.');
  }
  const seen_at = latest(images.flatMap(({ scanned_at }) => scanned_at ?? []));
  const missing = images.find(({ isScanned }) => !isScanned);
  if (missing !== undefined) return { holds: false, reason: `No scanner has looked into ${missing.uid}.`, seen_at };
  if (more > 0) return unknown(`It has ${more} more images than are looked at.`);
  return {
    holds: true,
    reason: images.length === 1 ? 'A scanner has looked into its image.' : 'Scanners have looked into all of its images.',
    seen_at,
  };
}

/** What is known of the vulnerabilities of a workload and its images; null where the caller may not read them. */
export interface VulnerabilityFacts {
  readonly fixable: number;
  readonly total: number;
  /** Those of the workload and its images whose packages are known, each with when. */
  readonly listed: readonly Date[];
}

/** @param images its state by `imageState` */
export function patchState(images: ProtectionState, facts: VulnerabilityFacts | null): ProtectionState {
  if (facts === null) return unknown('The caller may not read vulnerabilities.');
  const seen_at = latest([...facts.listed, ...(images.seen_at ? [images.seen_at] : [])]);
  if (facts.fixable > 0)
    return {
      holds: false,
      reason: `${facts.fixable} open ${facts.fixable === 1 ? 'vulnerability has' : 'vulnerabilities have'} a version that mends ${facts.fixable === 1 ? 'it' : 'them'}.`,
      seen_at,
    };
  if (images.holds === false) return unknown(`Nothing is known of a part of it. ${images.reason}`);
  if (facts.listed.length === 0 && facts.total === 0 && images.holds === null)
    return unknown('Neither its packages nor a scan of it are known.');
  return { holds: true, reason: 'No open vulnerability has a version that mends it.', seen_at };
}
