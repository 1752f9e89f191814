import { ConnectionRefused, type CollectedRecord, type Collector, type Skipped, type Target, type TriedService } from '../types.js';
import { collectLines, type Asked, type Interface, type Place } from './collect.js';
import { namesOf, type Service } from './line.js';
import { filled } from './thing.js';

/** An interface that a target's connection lets into. */
export interface Opened<Where extends string> {
  readonly of: Interface;
  /** The places of a kind, as far as the target names them. @throws ConnectionRefused when they cannot be told; the reason of the signal */
  placesOf(where: Where, signal: AbortSignal): Promise<readonly Place[]>;
}

/** What a collector of lists is made of. */
export interface Listing<Where extends string> {
  readonly services: readonly Service<Where>[];
  /** @throws ConnectionRefused where the connection is of no use */
  open(target: Target): Opened<Where>;
  /** The sentence for people when every call is denied. */
  readonly nothing: string;
}

/** A collector that asks what its provider's services list, service by service. */
export function createListingCollector<Where extends string>({
  services,
  open,
  nothing,
}: Listing<Where>): Required<Pick<Collector, 'tryOut' | 'collect'>> {
  const chosen = (target: Target): Service<Where>[] =>
    services.filter((of) => target.services.length === 0 || [of.service, ...namesOf(of)].some((name) => target.services.includes(name)));
  return {
    async *tryOut(target, signal): AsyncGenerator<TriedService> {
      const { of, placesOf } = open(target);
      for (const service of chosen(target)) {
        const [line] = service.lines;
        const [place] = await placesOf(service.where, signal);
        if (line === undefined || place === undefined) continue;
        const holder = { item: place.values };
        const address = { host: filled(line.host, holder) ?? '', path: filled(line.path, holder, encodeURIComponent) ?? '' };
        const answer = await of.ask(line, address, signal);
        const verdict = answer.ok ? 'none' : of.verdictOf(answer);
        if (verdict === 'skipped') continue;
        if (verdict === 'failed') throw new Error(`${of.provider}: ${line.call} ${of.saidBy(answer)}`);
        const permission = of.permissionOf?.(service.service, line.permission) ?? line.permission;
        yield { service: service.service, permission, granted: verdict === 'none' };
      }
    },

    async *collect(target, signal): AsyncGenerator<CollectedRecord> {
      const { of, placesOf } = open(target);
      const asked: Asked[] = [];
      const regional = new Set<string>();
      for (const { service, where, lines } of chosen(target)) {
        const places = await placesOf(where, signal);
        // of a service that is asked in regions alone there may be no place
        if (places.every(({ region }) => region !== undefined)) regional.add(service);
        for (const place of places) asked.push(...lines.map((line) => ({ service, line, place })));
      }
      yield* regionsWithout(of.provider, target, asked, regional);
      yield* collectLines(of, asked, signal, nothing);
    },
  };
}

/** Regions that people name, and that the account does not have: nothing is asked there. */
function* regionsWithout(
  provider: string,
  { regions }: Target,
  asked: readonly Asked[],
  services: ReadonlySet<string>,
): Generator<Skipped> {
  const known = new Set(asked.map(({ place }) => place.region));
  for (const region of regions)
    if (!known.has(region))
      for (const service of services)
        yield {
          source: `${provider}/${service}/regions`,
          region,
          skipped: `The region ${region} is not one that is enabled in the account.`,
        };
}

/** What is said when an interface does not tell the places to ask. */
export const placeless = (provider: string, places: string, said: string): ConnectionRefused =>
  new ConnectionRefused(`${provider} does not tell its ${places}: it ${said}.`);
