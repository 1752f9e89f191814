import type { ImportItem, ImportOptions } from '../types.js';
import type { CallAnswers } from './call-answers.js';
import { isItem, valuesAt, type Item } from './item.js';
import { fits, resourcesOf } from './map.js';
import { assetsOf } from './read.js';
import type { SourceCall } from './source-call.js';
import { cloudTable, type Thing } from './table.js';

/** Providers whose answers do not say what they hold: the call does. */
export type ListedProvider = 'oci' | 'alicloud' | 'ibm';

export interface ListedCall {
  readonly provider: ListedProvider;
  readonly call: SourceCall;
}

const SOURCE = /^(oci|alicloud|ibm)\/([a-z0-9-]+)\/([a-z0-9-]+)(?:__(.+))?$/;

/** Reads `ibm/is/list-shares-mount-targets__r006-…`: the call, and percent-encoded what it was about. Undefined for any other source. */
export function readListedCall(source: unknown): ListedCall | undefined {
  const [, provider, service, call, about] = (typeof source === 'string' && SOURCE.exec(source)) || [];
  if (provider === undefined || service === undefined || call === undefined) return undefined;
  return {
    provider: provider as ListedProvider,
    call: { service, call, subjects: about === undefined ? [] : [decoded(about)], exact: true },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const thingsByCall = new Map<ListedProvider, ReadonlyMap<string, readonly Thing[]>>();

function thingsOf({ provider, call }: ListedCall): readonly Thing[] {
  let known = thingsByCall.get(provider);
  if (known === undefined) {
    const made = new Map<string, Thing[]>();
    for (const thing of cloudTable(provider).things) for (const name of thing.config) made.set(name, [...(made.get(name) ?? []), thing]);
    thingsByCall.set(provider, (known = made));
  }
  return known.get(`${call.service}/${call.call}`) ?? [];
}

/** The types of which a call tells all that there are where it is asked. */
export const listingTypes = (listed: ListedCall): string[] =>
  thingsOf(listed).flatMap(({ type, more }) => [type, ...more.map((made) => made.type)]);

/**
 * The assets that an answer tells; several of one thing where Terraform has several resources for it. `^about` of the table is what the call was about.
 * @param at where it stands in the report @param answers what calls about single things have answered beside
 */
export function* listedAssets(
  listed: ListedCall,
  response: Item,
  at: string,
  answers: CallAnswers,
  format: string,
  options: ImportOptions,
): Generator<ImportItem> {
  const table = cloudTable(listed.provider);
  const place = { account: options.account_id, region: options.region };
  const [about] = listed.call.subjects;
  const within = { item: about === undefined ? {} : { about }, ...place };
  for (const thing of thingsOf(listed))
    for (const path of [...thing.answer, ...thing.summary])
      for (const [n, item] of valuesAt(response, path).entries()) {
        if (!isItem(item) || !fits(thing, item)) continue;
        const telling = { place, at: `${at}.${path}[${n}]`, summary: thing.summary.includes(path), within, answerTo: answers.answerTo };
        yield* assetsOf(resourcesOf(table, thing, item, telling), format, options);
      }
}
