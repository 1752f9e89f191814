import { hrefOf, valueOf } from '../address.js';
import { LongTable } from '../parts/long-table.js';
import { Empty } from '../parts/states.js';
import { Moment, StateMark } from '../parts/text.js';
import { address, goWith, withQuery } from '../place.js';
import { usePages } from '../use-pages.js';

interface Attestation {
  readonly attestation_id: string;
  readonly framework_id: string;
  readonly control_id: string;
  readonly status: 'met' | 'not_met';
  readonly evidence: string;
  readonly author: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly expired: boolean;
}

/** What people have said of controls that no rule assesses, the latest first. */
export function AttestationsView() {
  const { query } = address.value;
  const expired = valueOf(query, 'expired');
  const { list } = usePages<Attestation>(withQuery('/api/v1/compliance/attestations', new Map(expired ? [['expired', [expired]]] : [])));
  return (
    <>
      <div class="filter-bar menus" role="group" aria-label="Expired">
        <button
          type="button"
          class="menu"
          aria-pressed={expired === 'false'}
          onClick={() => goWith({ expired: expired === 'false' ? null : 'false' })}
        >
          Valid
        </button>
        <button
          type="button"
          class="menu"
          aria-pressed={expired === 'true'}
          onClick={() => goWith({ expired: expired === 'true' ? null : 'true' })}
        >
          Expired
        </button>
      </div>
      <LongTable
        label="attestations"
        list={list}
        keyOf={({ attestation_id }) => attestation_id}
        columns={[
          {
            id: 'control',
            title: 'Control',
            width: 130,
            cell: ({ framework_id, control_id }) => <a href={hrefOf(['compliance', framework_id, control_id])}>{control_id}</a>,
          },
          { id: 'framework', title: 'Framework', width: 180, when: 'wide', cell: ({ framework_id }) => framework_id },
          { id: 'status', title: 'Says', width: 100, cell: ({ status }) => <StateMark state={status} /> },
          { id: 'evidence', title: 'Evidence', cell: ({ evidence }) => <span title={evidence}>{evidence}</span> },
          { id: 'by', title: 'By', width: 200, when: 'roomy', cell: ({ author }) => author },
          { id: 'when', title: 'When', width: 110, when: 'wide', cell: ({ created_at }) => <Moment time={created_at} /> },
          {
            id: 'until',
            title: 'Until',
            width: 120,
            cell: ({ expires_at, expired: isOver }) => (
              <span class={isOver ? 'problem' : ''}>
                <Moment time={expires_at} />
              </span>
            ),
          },
        ]}
        empty={
          <Empty>
            <p>Nobody has attested anything of the kind: a control that is by hand has a button for it.</p>
          </Empty>
        }
      />
    </>
  );
}
