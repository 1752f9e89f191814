import { CopyButton } from '../parts/copy-button.js';
import { ManagedList } from '../parts/managed-list.js';
import type { Managed } from '../parts/managed.js';
import { Facts, Moment, StateMark } from '../parts/text.js';

interface Domain {
  readonly domain: string;
  readonly state: 'pending' | 'held' | 'verified' | 'failing' | 'lapsed';
  readonly source: string | null;
  readonly record: { readonly type: string; readonly name: string; readonly value: string } | null;
  readonly problem: string | null;
  readonly verified_at: string | null;
  readonly checked_at: string | null;
  readonly lapses_at: string | null;
  readonly transfers_at: string | null;
  readonly created_by: string | null;
}

const SOURCES: Readonly<Record<string, string>> = {
  dns: 'its record',
  operator: "the deployment's operator",
  configuration: 'the configuration of the deployment',
};

/** The record to publish, each part to copy. */
const RecordToSet = ({ record: { type, name, value } }: { readonly record: NonNullable<Domain['record']> }) => (
  <Facts
    of={[
      ['Kind of record', type],
      [
        'Its name',
        <>
          <code>{name}</code> <CopyButton text={name} what="the name of the record" />
        </>,
      ],
      [
        'Its value',
        <>
          <code>{value}</code> <CopyButton text={value} what="the value of the record" />
        </>,
      ],
    ]}
  />
);

const DOMAINS: Managed<Domain> = {
  one: 'domain',
  many: 'domains',
  path: '/api/v1/settings/domains',
  writes: 'tenants:write',
  idOf: ({ domain }) => domain,
  titleOf: ({ domain }) => domain,
  columns: [
    { id: 'state', title: 'State', width: 110, cell: ({ state }) => <StateMark state={state} /> },
    { id: 'checked', title: 'Looked up', width: 130, when: 'wide', cell: ({ checked_at }) => <Moment time={checked_at} empty="not yet" /> },
    { id: 'verified', title: 'Verified', width: 130, when: 'wide', cell: ({ verified_at }) => <Moment time={verified_at} empty="no" /> },
  ],
  add: {
    fields: [
      {
        name: 'domain',
        label: 'Domain',
        kind: 'text',
        isNeeded: true,
        hint: 'Such as example.com. A claim alone blocks nobody: it is yours when its record is found.',
      },
    ],
  },
  edit: null,
  actions: [{ label: 'Look the record up', method: 'POST', under: '/verify', when: ({ record }) => record !== null }],
  removal: {
    verb: 'Release',
    follows: 'Accounts that identity providers have made for it sign in no more, and their sessions end.',
  },
  details: (domain) => (
    <>
      <Facts
        of={[
          ['State', <StateMark state={domain.state} />],
          ['Known by', domain.source && (SOURCES[domain.source] ?? domain.source)],
          ['Problem', domain.problem],
          ['Verified', domain.verified_at && <Moment time={domain.verified_at} />],
          ['Looked up', <Moment time={domain.checked_at} empty="not yet" />],
          ['Makes no new accounts', domain.lapses_at && <Moment time={domain.lapses_at} />],
          ['Passes to you', domain.transfers_at && <Moment time={domain.transfers_at} />],
          ['Claimed by', domain.created_by],
        ]}
      />
      {domain.record && <RecordToSet record={domain.record} />}
    </>
  ),
  empty: 'No domain is claimed: people of a verified one are made accounts by your identity provider, and nobody else’s provider can.',
};

/** The domains of the organization, and the records that prove them. */
export const Domains = () => <ManagedList of={DOMAINS} />;
