import { useState } from 'preact/hooks';
import { valueOf } from '../address.js';
import { refusalFor, send } from '../api.js';
import type { Job } from '../jobs.js';
import { tell, tellProblem } from '../notices.js';
import { address, goWith, hrefWith } from '../place.js';
import { can } from '../session.js';
import { usePages } from '../use-pages.js';
import { JobBar } from './job-bar.js';
import { LongTable } from './long-table.js';
import { EditDialog, OnceDialog, RemoveDialog } from './managed-dialogs.js';
import { pathOf, type Action, type Managed } from './managed.js';
import { Panel } from './panel.js';
import { Empty } from './states.js';
import { useKeys } from '../keys.js';

interface OnePanelProps<Row> {
  readonly of: Managed<Row>;
  readonly row: Row;
  readonly begin: (doing: 'edit' | 'remove') => void;
  readonly act: (action: Action<Row>) => void;
}

function OnePanel<Row>({ of, row, begin, act }: OnePanelProps<Row>) {
  return (
    <Panel label={`the ${of.one}`} close={() => goWith({ one: null })} takesFocus>
      <h2>{of.titleOf(row)}</h2>
      {can(of.writes) ? (
        <div class="buttons">
          {of.edit && (
            <button type="button" onClick={() => begin('edit')}>
              Change
            </button>
          )}
          {of.actions
            .filter(({ when }) => !when || when(row))
            .map((action) => (
              <button key={action.label} type="button" onClick={() => act(action)}>
                {action.label}
              </button>
            ))}
          {of.removal && (!of.removal.when || of.removal.when(row)) && (
            <button type="button" onClick={() => begin('remove')}>
              {of.removal.verb}
            </button>
          )}
        </div>
      ) : (
        <p class="soft">Changing it takes {of.writes}.</p>
      )}
      {of.details(row)}
    </Panel>
  );
}

const isJob = (answer: unknown): answer is Job => typeof answer === 'object' && answer !== null && 'job_id' in answer;

/** A list that people add to, change and remove from, with one of it beside it. */
export function ManagedList<Row>({ of }: { readonly of: Managed<Row> }) {
  const { list, reload } = usePages<Row>(of.path);
  const [doing, setDoing] = useState<'add' | 'edit' | 'remove' | null>(null);
  const [once, setOnce] = useState<string | null>(null);
  const open = valueOf(address.value.query, 'one');
  const row = [...list.known()].find(([, one]) => of.idOf(one) === open)?.[1] ?? null;
  const close = () => setDoing(null);
  const job = valueOf(address.value.query, 'job');
  const done = (words: string) => (answer: unknown) => {
    setOnce(of.once?.(answer) ?? null);
    if (isJob(answer)) goWith({ job: answer.job_id });
    tell(words);
    reload();
  };
  const act = (action: Action<Row>) => {
    const { method, under = '', body, label } = action;
    send<unknown>(method, pathOf(of, row!) + under, body?.(row!)).then(done(`${label}: ${of.titleOf(row!)}.`), (problem: unknown) =>
      tellProblem(`Not done: ${refusalFor(problem).message}.`),
    );
  };
  useKeys(1, [{ key: 'Escape', words: 'Close', run: () => goWith({ one: null }) }]);
  return (
    <div class={row ? 'list-page with-panel' : 'list-page'}>
      <div class="list">
        {(of.add || of.head) && can(of.writes) && (
          <div class="filter-bar menus">
            {of.add && (
              <button type="button" onClick={() => setDoing('add')}>
                Add {of.one}
              </button>
            )}
            {of.head?.(reload)}
          </div>
        )}
        {job && <JobBar id={job} label={of.many} over={reload} close={() => goWith({ job: null })} result={() => null} />}
        <LongTable
          label={of.many}
          list={list}
          keyOf={of.idOf}
          isMarked={(one) => of.idOf(one) === open}
          columns={[
            {
              id: 'title',
              title: 'Name',
              cell: (one) => (
                <a class="title" href={hrefWith({ one: of.idOf(one) })} title={of.titleOf(one)}>
                  {of.titleOf(one)}
                </a>
              ),
            },
            ...of.columns,
          ]}
          empty={
            <Empty>
              <p>{of.empty}</p>
            </Empty>
          }
        />
      </div>
      {row && <OnePanel key={open} of={of} row={row} begin={setDoing} act={act} />}
      {doing === 'add' && of.add && <EditDialog of={of} form={of.add} row={null} close={close} done={done(`Added: ${of.one}.`)} />}
      {doing === 'edit' && of.edit && row && (
        <EditDialog of={of} form={of.edit} row={row} close={close} done={done(`Changed: ${of.titleOf(row)}.`)} />
      )}
      {doing === 'remove' && row && (
        <RemoveDialog
          of={of}
          row={row}
          close={close}
          done={(answer) => {
            goWith({ one: null });
            done(`${of.removal!.verb}: ${of.titleOf(row)}.`)(answer);
          }}
        />
      )}
      {once !== null && <OnceDialog text={once} close={() => setOnce(null)} />}
    </div>
  );
}
