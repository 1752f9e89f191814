import { useState } from 'preact/hooks';
import { refusalFor, send } from '../api.js';
import { findingHref } from '../findings/finding.js';
import { counted, countText, moneyText } from '../format.js';
import { tellProblem } from '../notices.js';
import { ShortTable } from '../parts/columns.js';
import { Partial } from '../parts/states.js';

/** What attack paths hang on. */
export interface Cause {
  readonly text: string;
  readonly engine: string;
  readonly finding_id: string | null;
  /** What fails, reported or not, and where; null for what is no rule and no CVE. */
  readonly rule_id: string | null;
  readonly resource_uid: string | null;
  readonly paths: number;
  readonly reduction: number | null;
}

/** `POST /risk/what-if`. */
interface WhatIf {
  readonly paths_before: number;
  readonly paths_gone: number;
  readonly before: { readonly mean: number };
  readonly after: { readonly mean: number };
  readonly reduction: number;
  readonly restrictedEngines: readonly string[];
}

const keyOf = ({ engine, text }: Cause): string => `${engine} ${text}`;

function Outcome({ outcome, currency }: { readonly outcome: WhatIf; readonly currency: string }) {
  const { paths_before, paths_gone, before, after, reduction, restrictedEngines } = outcome;
  return (
    <div role="status">
      <p>
        <b>{moneyText(reduction, currency)}</b> less expected a year: {moneyText(before.mean, currency)} becomes{' '}
        {moneyText(after.mean, currency)}. {countText(paths_gone)} of {counted(paths_before, 'path')} would be gone. Nothing was changed.
      </p>
      <Partial restricted={restrictedEngines} />
    </div>
  );
}

/** The causes that weigh most; ticked, they tell what fixing them together would do. */
export function Drivers({ drivers, currency }: { readonly drivers: readonly Cause[]; readonly currency: string }) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [outcome, setOutcome] = useState<WhatIf | null>(null);
  const [isBusy, setBusy] = useState(false);
  const toggle = (key: string) => {
    const next = new Set(ticked);
    if (!next.delete(key)) next.add(key);
    setTicked(next);
    setOutcome(null);
  };
  const reckon = async () => {
    setBusy(true);
    const results = drivers.flatMap((cause) =>
      ticked.has(keyOf(cause)) ? [{ rule_id: cause.rule_id, resource_uid: cause.resource_uid }] : [],
    );
    try {
      setOutcome(await send<WhatIf>('POST', '/api/v1/risk/what-if', { results }));
    } catch (problem) {
      tellProblem(`It could not be reckoned: ${refusalFor(problem).message}.`);
    }
    setBusy(false);
  };
  return (
    <>
      <ShortTable
        label="Causes by what their fix takes off"
        rows={drivers}
        keyOf={keyOf}
        columns={[
          {
            id: 'tick',
            title: 'Fix',
            width: 36,
            cell: (cause) =>
              cause.rule_id && (
                <input
                  type="checkbox"
                  aria-label={`Fix ${cause.text}`}
                  checked={ticked.has(keyOf(cause))}
                  onChange={() => toggle(keyOf(cause))}
                />
              ),
          },
          {
            id: 'cause',
            title: 'Cause',
            cell: ({ text, engine, finding_id }) =>
              finding_id ? <a href={findingHref({ engine, finding_id })}>{text}</a> : <span>{text}</span>,
          },
          { id: 'paths', title: 'Paths', width: 60, align: 'end', cell: (cause) => countText(cause.paths) },
          {
            id: 'reduction',
            title: 'Its fix takes off',
            width: 120,
            align: 'end',
            cell: ({ reduction }) => moneyText(reduction, currency),
          },
        ]}
        empty={<p class="soft">Nothing drives it, as far as is known.</p>}
      />
      {drivers.length > 0 && (
        <p>
          <button type="button" disabled={ticked.size === 0 || isBusy} onClick={() => void reckon()}>
            {ticked.size === 0 ? 'Tick fixes to see what they do' : `What if ${counted(ticked.size, 'fix', 'fixes')}`}
          </button>
        </p>
      )}
      {outcome && <Outcome outcome={outcome} currency={currency} />}
    </>
  );
}
