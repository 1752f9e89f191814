import { text } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';
import type { Chosen } from '../chosen.js';
import { PROPOSED, type ProposalForm, type Subject } from '../form.js';

const GRANT = /^(google_.+_iam_)(?:member|binding|policy)$/;

/** What is to be bound where: the used permissions of all bindings of one place. */
function byPlace(chosen: readonly Chosen[]): Map<string, { rights: Set<string>; from: Chosen }> {
  const places = new Map<string, { rights: Set<string>; from: Chosen }>();
  for (const one of chosen)
    for (const place of one.resources) {
      const of = places.get(place) ?? { rights: new Set<string>(), from: one };
      for (const right of one.rights) of.rights.add(right);
      places.set(place, of);
    }
  return places;
}

const memberOf = ({ asset }: Subject): string => {
  const { configuration, account_id } = asset;
  const id = text(configuration['account_id']);
  const project = text(configuration['project']) ?? account_id;
  return `serviceAccount:${text(configuration['email']) ?? `${id}@${project}.iam.gserviceaccount.com`}`;
};

/** Custom roles live in projects and organizations: one that is bound elsewhere lives in the project of the identity. */
const holderOf = (place: string, { asset }: Subject): string =>
  /^(?:projects|organizations)\/[^/]+$/.test(place) ? place : `projects/${text(asset.configuration['project']) ?? asset.account_id ?? '-'}`;

/** A custom role for each place where an identity is bound, and its binding (Google Cloud IAM, "Create and manage custom roles"). */
export const gcpForm: ProposalForm = {
  name: 'gcp_custom_roles',
  isOwn: () => true,
  // a binding holds whatever lies in its place
  placeOf: () => undefined,
  documents(chosen, subject) {
    return [...byPlace(chosen)].map(([place, { rights, from }]) => ({
      parent: holderOf(place, subject),
      role: {
        title: `Least privilege of ${subject.name}`.slice(0, 100),
        description: `What ${subject.name} used of its rights on ${place}`.slice(0, 256),
        stage: 'GA',
        includedPermissions: [...rights].sort(),
      },
      binding: {
        resource: place,
        members: [memberOf(subject)],
        ...(from.rule.condition({ ...subject.held.call, action: '*', resources: [] }) === undefined && {
          condition: `as in ${from.rule.uid}`,
        }),
      },
    }));
  },
  proof(documents, chosen, subject) {
    const { asset, assetOf } = subject;
    const email = `least-privilege-${memberOf(subject).slice('serviceAccount:'.length)}`;
    const clone: InventoryResource = {
      ...asset,
      resource_uid: `${asset.resource_uid}${PROPOSED}`,
      resource_name: undefined,
      configuration: {
        ...asset.configuration,
        email,
        account_id: `least-privilege-${text(asset.configuration['account_id']) ?? ''}`,
        id: '',
        name: '',
      },
    };
    const places = [...byPlace(chosen).values()];
    return [
      clone,
      ...documents.flatMap((document, n): InventoryResource[] => {
        const role = `proposal:role/${n}`;
        const origin = assetOf(places[n]!.from.rule.uid);
        const [, start] = GRANT.exec(origin?.resource_type ?? '') ?? [];
        if (origin === undefined || start === undefined) return [];
        const { role: made } = document as { role: { includedPermissions: string[] } };
        const place = { ...origin.configuration };
        for (const attribute of ['members', 'policy_data']) delete place[attribute];
        return [
          {
            ...{ resource_uid: role, resource_type: 'google_project_iam_custom_role', provider: 'gcp', account_id: asset.account_id },
            configuration: { id: role, permissions: made.includedPermissions },
          },
          {
            ...{ resource_uid: `proposal:binding/${n}`, resource_type: `${start}member`, provider: 'gcp', account_id: origin.account_id },
            configuration: { ...place, role, member: `serviceAccount:${email}` },
          },
        ];
      }),
    ];
  },
};
