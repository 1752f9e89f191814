import { listedTypes, thingsOfAnswer } from '../../cloud/answers.js';
import { awsAssets, calledAssets } from '../../cloud/aws.js';
import { azureAssets } from '../../cloud/azure.js';
import { CallAnswers, errorCode, type CalledProvider } from '../../cloud/call-answers.js';
import { entraAssets, entraGroupOf, entraList, entraMembers } from '../../cloud/entra.js';
import { gcpAssets, noteProject } from '../../cloud/gcp.js';
import { isItem, type Item } from '../../cloud/item.js';
import { listedAssets, listingTypes, readListedCall } from '../../cloud/listed.js';
import { readSourceCall } from '../../cloud/source-call.js';
import { kubernetesType } from '../../normalize/kubernetes-names.js';
import type { ImportItem, ImportOptions, UnansweredPlace } from '../../types.js';
import type { Provider } from '../../../schema/model.js';
import type { KubernetesEdges } from '../kubernetes/edges.js';
import { listedObjects, objectItems } from '../kubernetes/objects.js';

/** Whose answer it is. */
type Interface = 'aws' | 'azure' | 'entra' | 'gcp' | 'k8s';

/** What was recorded of cloud interfaces, record by record: first noted, then told. */
export class RecordedAnswers {
  /** Types of which all are told. */
  readonly listed = new Set<string>();
  /** What was answered in each region: a name may stand for another thing in another one. */
  private readonly calls = new Map<string, { region: string; provider: CalledProvider; answers: CallAnswers }>();
  private readonly projects = new Map<string, string>();
  /** Types of objects of the cluster that were not told. */
  private readonly unanswered = new Set<string>();

  constructor(
    private readonly format: string,
    private readonly options: ImportOptions,
    private readonly edges: KubernetesEdges,
  ) {}

  /** Takes note of what has to be known before the first thing is told. */
  note(record: Item, at: string): void {
    const { response, source, kind } = record;
    if (typeof record['not_answered'] === 'string' && typeof kind === 'string') this.unanswered.add(kubernetesType(kind));
    const part = partOf(record);
    const listed = readListedCall(source);
    if (listed !== undefined) {
      const said = typeof record['error'] === 'string' ? errorCode(record) : undefined;
      if (said !== undefined) this.callsIn(regionOf(record), listed.provider).add(listed.call, { error: said }, at, part);
      if (!isItem(response)) return;
      this.callsIn(regionOf(record), listed.provider).add(listed.call, response, at, part);
      for (const type of listingTypes(listed)) this.listed.add(type);
      return;
    }
    const call = typeof source === 'string' ? readSourceCall(source) : undefined;
    const error = errorCode(record);
    const calls = this.callsIn(regionOf(record));
    if (call !== undefined && error !== undefined) calls.add(call, { error }, at, part);
    if (!isItem(response) || error !== undefined) return;
    if (call !== undefined) calls.add(call, response, at, part);
    const whose = interfaceOf(response);
    if (whose === 'aws') for (const type of listedTypes('aws', response)) this.listed.add(type);
    if (whose === 'gcp') for (const entry of entries(response)) noteProject(entry, this.projects);
  }

  *assetsOf(record: Item, at: string): Generator<ImportItem> {
    const { whole } = record;
    yield* inPart(partOf(record), this.toldBy(record, at));
    if (Array.isArray(whole)) for (const part of whole) if (isPart(part)) yield { kind: 'whole', part };
  }

  private *toldBy(record: Item, at: string): Generator<ImportItem> {
    const { response, not_answered, skipped } = record;
    const [place, region] = [`${at}.response`, regionOf(record)];
    const listed = readListedCall(record['source']);
    if (typeof not_answered === 'string') {
      const asked = placeOf(record);
      yield { kind: 'unanswered', position: at, reason: not_answered, ...(asked && { place: asked }) };
    } else if (typeof skipped === 'string') {
      const asked = placeOf(record);
      if (asked) yield { kind: 'skipped', reason: skipped, place: asked };
    } else if (listed !== undefined) {
      const answers = this.callsIn(region, listed.provider);
      if (isItem(response)) yield* listedAssets(listed, response, place, answers, this.format, this.optionsIn(region));
    } else if (Array.isArray(response)) {
      for (const [n, entry] of (response as unknown[]).entries()) if (isItem(entry)) yield* this.told(entry, `${place}[${n}]`, region);
    } else if (isItem(response)) yield* this.told(response, place, region);
  }

  /** Things that only calls about them tell, and what connects objects of clusters. */
  *rest(): Generator<ImportItem> {
    for (const { region, provider, answers } of this.calls.values())
      if (provider === 'aws')
        for (const called of answers.rest()) yield* inPart(called.part, calledAssets(called, answers, this.format, this.optionsIn(region)));
    for (const edge of this.edges.edges()) yield { kind: 'edge', edge };
  }

  private callsIn(region: string, provider: CalledProvider = 'aws'): CallAnswers {
    const key = `${provider} ${region}`;
    const calls = this.calls.get(key) ?? { region, provider, answers: new CallAnswers(provider) };
    this.calls.set(key, calls);
    return calls.answers;
  }

  private readonly optionsIn = (region: string): ImportOptions => (region === '' ? this.options : { ...this.options, region });

  private *told(answer: Item, at: string, region: string): Generator<ImportItem> {
    const { format } = this;
    const options = this.optionsIn(region);
    switch (interfaceOf(answer)) {
      case 'k8s':
        for (const [object, place] of listedObjects(answer, at))
          // the line is the record
          for (const item of objectItems({ kind: 'document', value: object, position: place }, options, this.edges, format)) {
            if (item.kind === 'asset' && this.unanswered.size > 0) item.asset.unknown_paths = [...this.unanswered];
            if (item.kind !== 'record') yield item;
          }
        return;
      case 'entra': {
        const context = answer['@odata.context'];
        const group = entraGroupOf(context);
        if (group !== undefined) return yield* entraMembers(group, entries(answer), at, format, options);
        for (const [n, thing] of entries(answer).entries())
          yield* entraAssets(thing, entraList(context), `${at}.value[${n}]`, format, options);
        return;
      }
      case 'azure':
        for (const [n, resource] of entries(answer).entries()) yield* azureAssets(resource, `${at}.value[${n}]`, format, options);
        return;
      case 'gcp':
        for (const [n, resource] of entries(answer).entries()) yield* gcpAssets(resource, `${at}[${n}]`, format, options, this.projects);
        return;
      case 'aws':
        for (const answered of thingsOfAnswer('aws', answer, at)) yield* awsAssets(answered, this.callsIn(region), format, options);
    }
  }
}

const PROVIDERS: Readonly<Record<string, Provider>> = {
  ...{ aws: 'aws', azure: 'azure', gcp: 'gcp', gcloud: 'gcp', k8s: 'k8s', kubectl: 'k8s' },
  ...{ oci: 'oci', alicloud: 'alicloud', ibm: 'ibm' },
};

/** Where a call would have looked, as its name tells. */
function placeOf(record: Item): UnansweredPlace | undefined {
  const { source, kind } = record;
  const provider = typeof source === 'string' ? PROVIDERS[/^\w+/.exec(source)?.[0] ?? ''] : undefined;
  if (provider === undefined) return undefined;
  const service = typeof kind === 'string' ? kind : readSourceCall(source as string)?.service;
  const region = regionOf(record);
  return service === undefined || service === '' ? undefined : { provider, service, ...(region !== '' && { region }) };
}

/** Of what an account is told in, as a collector names it: short, or it is none. */
const isPart = (part: unknown): part is string => typeof part === 'string' && part.length > 0 && part.length <= 200;
const partOf = ({ part }: Item): string | undefined => (isPart(part) ? part : undefined);

function* inPart(part: string | undefined, items: Iterable<ImportItem>): Generator<ImportItem> {
  for (const item of items) {
    if (part !== undefined && item.kind === 'asset') item.asset.part = part;
    yield item;
  }
}

/** Where an answer was asked for; empty where the line does not tell. */
const regionOf = ({ region }: Item): string => (typeof region === 'string' ? region : '');

const GCP_NAME = /^(?:\/\/\w+\.googleapis\.com\/|(?:projects|organizations|folders)\/)/;

function interfaceOf(answer: Item): Interface {
  const { kind, apiVersion } = answer;
  if (typeof kind === 'string' && typeof apiVersion === 'string') return 'k8s';
  if (typeof answer['@odata.context'] === 'string' && answer['@odata.context'].includes('graph.microsoft')) return 'entra';
  if (typeof kind === 'string' && kind.includes('#')) return 'gcp';
  const things = entries(answer);
  if (things.some(({ id }) => typeof id === 'string' && /^\/(?:subscriptions|providers)\//i.test(id))) return 'azure';
  const isGcp = ({ name, id, kind: own }: Item): boolean =>
    [name, id].some((text) => typeof text === 'string' && GCP_NAME.test(text)) || (typeof own === 'string' && own.includes('#'));
  return things.some(isGcp) ? 'gcp' : 'aws';
}

/** The things of an answer: those of its lists, in one more level where they are aggregated by place, else itself. */
function entries(answer: Item): Item[] {
  const lists = Object.values(answer).filter((value): value is unknown[] => Array.isArray(value) && value.some(isItem));
  const { items } = answer;
  if (isItem(items))
    lists.push(
      ...Object.values(items).flatMap((held) =>
        Array.isArray(held) ? [held as unknown[]] : isItem(held) ? Object.values(held).filter(Array.isArray) : [],
      ),
    );
  const isThing = typeof answer['id'] === 'string' || (typeof answer['name'] === 'string' && lists.length === 0);
  return isThing ? [answer] : lists.flat().filter(isItem);
}
