import type { Provider } from '../../schema/model.js';
import { decide, said } from '../access/decide.js';
import { AccessModel } from '../access/model.js';
import type { Answer, Said } from '../access/types.js';
import type { InventoryResource } from '../resource.js';
import { chosenOf, type Chosen } from './chosen.js';
import type { ProposalForm, Subject } from './form.js';
import { alicloudForm, awsForm } from './forms/documents.js';
import { azureForm } from './forms/azure.js';
import { gcpForm } from './forms/gcp.js';
import { k8sForm } from './forms/k8s.js';
import type { UsedRight } from './used.js';

const FORMS: Readonly<Partial<Record<Provider, ProposalForm>>> = {
  aws: awsForm,
  alicloud: alicloudForm,
  gcp: gcpForm,
  azure: azureForm,
  k8s: k8sForm,
};

/** What a second evaluation says of an identity that has nothing but what is proposed. */
export interface Proof {
  /** Everything that was used is allowed, and nothing that was not used is given. */
  holds: boolean;
  /** Calls that were asked about: each used right on each of its resources. */
  calls: number;
  /** Of these the ones that are less sure than they are now. */
  lost: string[];
  /** Rights that are given and were not used. */
  beyond: string[];
}

/** Less than an identity is given now, and enough for all that it did. */
export interface Proposal {
  form: ProposalForm['name'];
  documents: Record<string, unknown>[];
  /** The statements and bindings in whose place they stand. */
  replaces: Said[];
  /** Used rights that nothing of the identity's own gives it: they come from the policies of resources, or were taken away since. */
  left_out: string[];
  proof: Proof;
}

/** Statements, lost calls and rights that an answer names. */
const MOST = 100;
const SURE: readonly Answer[] = ['denied', 'unknown', 'conditional', 'allowed'];

/** The resource types of identities for which something can be proposed. */
export const hasForm = (provider: Provider): boolean => FORMS[provider] !== undefined;

/**
 * The least that allows what an identity used.
 * @returns null for a provider without a form, an identity that the assets lack, and one that used nothing of what it is given
 */
export function proposalOf(
  provider: Provider,
  assets: readonly InventoryResource[],
  model: AccessModel,
  uid: string,
  used: readonly UsedRight[],
): Proposal | null {
  const form = FORMS[provider];
  const byUid = new Map(assets.map((asset) => [asset.resource_uid, asset]));
  const asset = byUid.get(uid);
  if (form === undefined || asset === undefined) return null;
  const held = model.of(provider).heldBy(uid);
  const subject: Subject = { asset, name: asset.resource_name ?? uid, held, assetOf: (one) => byUid.get(one) };
  const isOwn = (rule: Parameters<ProposalForm['isOwn']>[0]) => form.isOwn(rule, subject);
  const { chosen, left_out } = chosenOf(held, used, isOwn, (rule, resource) => form.placeOf(rule, resource));
  if (chosen.length === 0) return null;
  const documents = form.documents(chosen, subject);
  const replaces = new Map(held.allows.filter(isOwn).map((rule) => [`${rule.uid}\n${rule.label}`, said(rule)]));
  return {
    form: form.name,
    documents,
    replaces: [...replaces.values()].slice(0, MOST),
    left_out: left_out.slice(0, MOST),
    proof: prove(provider, assets, model, uid, chosen, form.proof(documents, chosen, subject)),
  };
}

/** Asks the model again, with an identity that has nothing but what is proposed. */
function prove(
  provider: Provider,
  assets: readonly InventoryResource[],
  model: AccessModel,
  uid: string,
  chosen: readonly Chosen[],
  further: readonly InventoryResource[],
): Proof {
  const proposed = new AccessModel([...assets, ...further]);
  const clone = further[0]!.resource_uid;
  const lost: string[] = [];
  let calls = 0;
  const wanted = new Set<string>();
  for (const { rights, resources } of chosen)
    for (const right of rights) {
      wanted.add(right.toLowerCase());
      for (const resource of resources) {
        calls += 1;
        const answerOf = (of: AccessModel, who: string) =>
          SURE.indexOf(decide(of.weigh(provider, who, right, placeOf(provider, resource))).answer);
        if (answerOf(proposed, clone) < answerOf(model, uid)) lost.push(`${right} on ${resource}`);
      }
    }
  const given = proposed
    .of(provider)
    .heldBy(clone)
    .allows.filter((rule) => further.some(({ resource_uid }) => rule.uid === resource_uid));
  const beyond = given.flatMap(({ actions }) =>
    actions.include.filter((action) => action === null || !wanted.has(action.toLowerCase())).map(String),
  );
  const isWithin = given.every(({ actions }) => actions.include.every((action) => action !== null && !/[*?]/.test(action)));
  return {
    holds: lost.length === 0 && beyond.length === 0 && isWithin,
    calls,
    lost: lost.slice(0, MOST),
    beyond: [...new Set(beyond)].slice(0, MOST),
  };
}

/** A place as questions name it: those of Kubernetes stand behind the name of their cluster. */
const placeOf = (provider: Provider, resource: string): string =>
  provider === 'k8s' ? resource.slice(resource.indexOf('|') + 1) : resource;
