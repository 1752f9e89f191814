import type { Condition } from '../../../kit/graph/types.js';
import { INTERNET } from '../../../kit/graph/types.js';
import type { Assembly } from './assembly.js';
import { signalled } from './conditions.js';
import { frontsOf, type Front } from './fronts.js';
import type { SignalFact } from './types.js';
import { waysIn } from './ways-in.js';
import { Weaknesses } from './weaknesses.js';

/** Where the internet is the start of every path. */
const START = 0;

/** The steps that come from the internet. */
export function addEntries(assembly: Assembly): void {
  const { estate } = assembly;
  const weaknesses = new Weaknesses(estate);
  for (const [uid, fronts] of frontsOf(estate))
    for (const { node, figure, condition } of waysIn(assembly, weaknesses, uid, fronts))
      assembly.step(START, node, 'initial_access', figure, [...exposure(uid, fronts), condition]);
  for (const [signal, kind, figure] of [
    ['leaked_credential', 'leaked_credential', 'leaked_key'],
    ['weak_sign_in', 'weak_sign_in', 'console_without_mfa'],
    ['open_trust', 'open_trust', 'open_trust'],
  ] as const)
    for (const finding of estate.allSignals(signal))
      if (estate.assets.get(finding.resource_uid)?.role === 'identity')
        assembly.step(START, assembly.holder(finding.resource_uid), kind, figure, [signalled(finding)]);
  addPublicData(assembly);
  for (const { from, to, access } of estate.edgesOf('may_assume').all())
    if (from === INTERNET)
      assembly.step(
        START,
        assembly.holder(to),
        'open_trust',
        access?.conditional === true ? 'escalation_conditional' : 'open_trust',
        assembly.granted(from, to, access),
      );
}

/** Of several ways in one is told: that of the resource itself, where it has one. */
function exposure(uid: string, fronts: readonly Front[]): Condition[] {
  const front = fronts.find((one) => one.uid === uid) ?? fronts[0]!;
  const { condition } = front;
  return [front.uid === uid ? condition : { ...condition, text: `${condition.text}, through ${front.uid}` }];
}

/** Data that anybody reads; what is worth nothing opens no path. */
function addPublicData(assembly: Assembly): void {
  const { estate } = assembly;
  const read = new Set<string>();
  for (const { from, to, access } of estate.edgesOf('may_access').all()) {
    if (from !== INTERNET || !assembly.jewels.has(to)) continue;
    read.add(to);
    const findings = estate
      .signals(to, 'public_data')
      .slice(0, 1)
      .map((one) => signalled(one));
    const conditions = [...assembly.granted(from, to, access), ...findings];
    assembly.step(
      START,
      assembly.holder(to),
      'public_data',
      access?.conditional === true ? 'data_access_conditional' : 'public_data',
      conditions,
    );
  }
  const ways = new Map<string, SignalFact[]>();
  for (const finding of estate.allSignals('public_data')) {
    // what lies in a jewel is a part of it: a container of a storage account
    const { resource_uid } = finding;
    const jewels = [resource_uid, ...estate.edgesOf('contains').into(resource_uid)].filter((uid) => assembly.jewels.has(uid));
    for (const uid of jewels)
      if (!read.has(uid) && estate.assets.get(uid)?.role === 'store') ways.set(uid, [...(ways.get(uid) ?? []), finding]);
  }
  for (const [uid, findings] of ways) {
    const precise = findings.filter(({ isOtherwise }) => !isOtherwise);
    for (const finding of precise.length > 0 ? precise : findings)
      assembly.step(START, assembly.holder(uid), 'public_data', 'public_data', [signalled(finding)]);
  }
}
