import { listedTypes, thingsOfAnswer } from '../../cloud/answers.js';
import { awsAssets, calledAssets } from '../../cloud/aws.js';
import { azureAssets } from '../../cloud/azure.js';
import { CallAnswers, errorCode } from '../../cloud/call-answers.js';
import { entraAssets, entraGroupOf, entraList, entraMembers } from '../../cloud/entra.js';
import { gcpAssets, noteProject } from '../../cloud/gcp.js';
import { isItem, type Item } from '../../cloud/item.js';
import { readSourceCall } from '../../cloud/source-call.js';
import type { ImportItem, ImportOptions } from '../../types.js';
import type { KubernetesEdges } from '../kubernetes/edges.js';
import { listedObjects, objectItems } from '../kubernetes/objects.js';

/** Whose answer it is. */
type Interface = 'aws' | 'azure' | 'entra' | 'gcp' | 'k8s';

/** What was recorded of cloud interfaces, record by record: first noted, then told. */
export class RecordedAnswers {
  /** Types of which all are told. */
  readonly listed = new Set<string>();
  private readonly calls = new CallAnswers();
  private readonly projects = new Map<string, string>();

  constructor(
    private readonly format: string,
    private readonly options: ImportOptions,
    private readonly edges: KubernetesEdges,
  ) {}

  /** Takes note of what has to be known before the first thing is told. */
  note(record: Item, at: string): void {
    const { response, source } = record;
    const call = typeof source === 'string' ? readSourceCall(source) : undefined;
    const error = errorCode(record);
    if (call !== undefined && error !== undefined) this.calls.add(call, { error }, at);
    if (!isItem(response) || error !== undefined) return;
    if (call !== undefined) this.calls.add(call, response, at);
    const whose = interfaceOf(response);
    if (whose === 'aws') for (const type of listedTypes('aws', response)) this.listed.add(type);
    if (whose === 'gcp') for (const entry of entries(response)) noteProject(entry, this.projects);
  }

  *assetsOf({ response }: Item, at: string): Generator<ImportItem> {
    const place = `${at}.response`;
    if (Array.isArray(response)) {
      for (const [n, entry] of (response as unknown[]).entries()) if (isItem(entry)) yield* this.told(entry, `${place}[${n}]`);
    } else if (isItem(response)) yield* this.told(response, place);
  }

  /** Things that only calls about them tell, and what connects objects of clusters. */
  *rest(): Generator<ImportItem> {
    for (const called of this.calls.rest()) yield* calledAssets(called, this.calls, this.format, this.options);
    for (const edge of this.edges.edges()) yield { kind: 'edge', edge };
  }

  private *told(answer: Item, at: string): Generator<ImportItem> {
    const { format, options } = this;
    switch (interfaceOf(answer)) {
      case 'k8s':
        for (const [object, place] of listedObjects(answer, at))
          // the line is the record
          for (const item of objectItems({ kind: 'document', value: object, position: place }, options, this.edges, format))
            if (item.kind !== 'record') yield item;
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
        for (const answered of thingsOfAnswer('aws', answer, at)) yield* awsAssets(answered, this.calls, format, options);
    }
  }
}

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
