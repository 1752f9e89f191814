import { useState } from 'preact/hooks';
import type { Provider } from '../../../schema/model.js';
import { hrefOf } from '../address.js';
import { send } from '../api.js';
import { countText, moneyText, percentText, wordOf } from '../format.js';
import { tell } from '../notices.js';
import { FormDialog } from '../parts/dialog.js';
import { FieldInputs } from '../parts/field-inputs.js';
import { bodyOf, isFilled, valuesOf, type Field, type Values } from '../parts/fields.js';
import { LongTable } from '../parts/long-table.js';
import { Section } from '../parts/section.js';
import { Empty } from '../parts/states.js';
import { Middle } from '../parts/text.js';
import { can } from '../session.js';
import { usePages } from '../use-pages.js';

/** `GET /risk/crown-jewels`. */
interface Jewel {
  readonly resource_uid: string;
  readonly resource_name: string | null;
  readonly provider: Provider;
  readonly kind: string;
  readonly state: string;
  readonly tier: string | null;
  readonly reason: string;
  readonly value: number | null;
  readonly has_figures: boolean;
  readonly paths: number | null;
  readonly likelihood: number | null;
}

const isAccepted = ({ decision }: Values): boolean => decision === 'accepted';
const DECISIONS: Readonly<Record<string, string>> = {
  accepted: 'It is a crown jewel',
  refused: 'It is none',
  undecided: 'Facts alone shall say',
};

const FIELDS: readonly Field[] = [
  {
    name: 'decision',
    label: 'What it is',
    kind: 'choice',
    options: Object.keys(DECISIONS),
    words: (decision) => DECISIONS[decision] ?? decision,
    isNeeded: true,
    initial: 'accepted',
  },
  { name: 'reason', label: 'Why', kind: 'long', isNeeded: true, when: ({ decision }) => decision !== 'undecided' },
  { name: 'tier', label: 'How bad its loss is', kind: 'choice', options: ['critical', 'high', 'medium', 'low'], when: isAccepted },
  {
    name: 'value',
    label: 'What its loss costs',
    kind: 'number',
    hint: 'To replace it, contracts, know-how: beyond response, downtime, records and fines.',
    when: isAccepted,
  },
  { name: 'value_per_hour', label: 'What an hour without it costs', kind: 'number', when: isAccepted },
  { name: 'records', label: 'Records of people or accounts in it', kind: 'number', when: isAccepted },
  {
    name: 'record_class',
    label: 'What the records are of',
    kind: 'text',
    options: ['health', 'payment', 'personal', 'financial', 'intellectual-property'],
    when: isAccepted,
  },
  { name: 'fines', label: 'Fines that its loss brings', kind: 'number', when: isAccepted },
];

interface DecideProps {
  readonly jewel: Jewel;
  readonly close: () => void;
  readonly done: () => void;
}

function Decide({ jewel, close, done }: DecideProps) {
  const name = jewel.resource_name ?? jewel.resource_uid;
  const [values, setValues] = useState<Values>(() => valuesOf(FIELDS, jewel));
  const submit = async () => {
    await send('PUT', `/api/v1/risk/crown-jewels/${encodeURIComponent(jewel.resource_uid)}`, bodyOf(FIELDS, values));
    tell(`Decided: ${name}. Figures follow with the next reckoning.`);
    done();
  };
  return (
    <FormDialog title={`Decide on ${name}`} close={close} action="Decide" isReady={isFilled(FIELDS, values)} submit={submit}>
      <FieldInputs fields={FIELDS} values={values} change={setValues} />
    </FormDialog>
  );
}

/** What would hurt the business if it were lost: what people say, and what facts propose. */
export function Jewels({ currency }: { readonly currency: string }) {
  const { list, reload } = usePages<Jewel>('/api/v1/risk/crown-jewels');
  const [open, setOpen] = useState<Jewel | null>(null);
  return (
    <Section title="Crown jewels">
      <div class="bounded">
        <LongTable
          label="crown jewels"
          list={list}
          keyOf={({ resource_uid }) => resource_uid}
          columns={[
            {
              id: 'jewel',
              title: 'Crown jewel',
              cell: ({ resource_uid, resource_name, reason }) => (
                <a href={hrefOf(['assets', resource_uid])} title={reason}>
                  <Middle text={resource_name ?? resource_uid} most={40} />
                </a>
              ),
            },
            { id: 'kind', title: 'Kind', width: 110, when: 'wide', cell: ({ kind }) => wordOf(kind) },
            { id: 'state', title: 'Says who', width: 90, cell: ({ state }) => (state === 'accepted' ? 'People' : 'Facts') },
            { id: 'tier', title: 'Tier', width: 80, cell: ({ tier }) => wordOf(tier ?? '–') },
            { id: 'paths', title: 'Paths', width: 64, align: 'end', when: 'wide', cell: ({ paths }) => countText(paths) },
            {
              id: 'likelihood',
              title: 'Lost in a year',
              width: 110,
              align: 'end',
              when: 'wide',
              cell: ({ likelihood }) => percentText(likelihood),
            },
            {
              id: 'value',
              title: 'Value',
              width: 110,
              align: 'end',
              when: 'wide',
              cell: ({ value, has_figures }) => (value === null && has_figures ? 'By its records' : moneyText(value, currency)),
            },
            ...(can('tenants:write')
              ? [
                  {
                    id: 'decide',
                    title: 'Decide',
                    isTitleHidden: true,
                    width: 88,
                    align: 'end' as const,
                    cell: (jewel: Jewel) => (
                      <button
                        type="button"
                        aria-label={`Decide on ${jewel.resource_name ?? jewel.resource_uid}`}
                        onClick={() => setOpen(jewel)}
                      >
                        Decide
                      </button>
                    ),
                  },
                ]
              : []),
          ]}
          empty={
            <Empty>
              <p>Nothing is called a crown jewel, and no fact of the inventory proposes one.</p>
            </Empty>
          }
        />
      </div>
      {open && <Decide key={open.resource_uid} jewel={open} close={() => setOpen(null)} done={reload} />}
    </Section>
  );
}
