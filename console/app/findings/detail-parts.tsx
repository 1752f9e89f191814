import { hrefOf } from '../address.js';
import { wordOf } from '../format.js';
import { OuterLink, SeverityMark, StateMark } from '../parts/text.js';
import { hrefWith } from '../place.js';
import type { FindingView } from './detail.js';
import { keyOf } from './finding.js';

/** How it is fixed: steps, what the report says, and where to read on. */
export function Remediation({ remediation }: { readonly remediation: FindingView['remediation'] }) {
  const { available, steps, referenceItems, estimatedEffort, guidance, markdown, runbook_url } = remediation;
  if (!available) return <p class="soft">Neither the report nor the catalog says how to fix it.</p>;
  return (
    <>
      {guidance && <p class="text">{guidance}</p>}
      {steps.length > 0 && (
        <ol>
          {steps.map(({ order, action, detail }) => (
            <li key={order}>
              <span class="text">{action}</span>
              {detail && <pre tabIndex={0}>{detail}</pre>}
            </li>
          ))}
        </ol>
      )}
      {markdown && markdown !== guidance && (
        <details>
          <summary>As the report says it</summary>
          <pre tabIndex={0}>{markdown}</pre>
        </details>
      )}
      {estimatedEffort && <p>Effort: {estimatedEffort}</p>}
      {runbook_url && (
        <p>
          <OuterLink url={runbook_url} title="Runbook" />
        </p>
      )}
      {referenceItems.length > 0 && (
        <ul>
          {referenceItems.map(({ url, title }) => (
            <li key={url}>
              <OuterLink url={url} title={title} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Controls shown before the rest folds. */
const FEW = 8;

type Control = FindingView['compliance']['controlMappings'][number];

const ControlLine = ({ framework, frameworkName, controlId, controlName, status }: Control) => (
  <li>
    <StateMark state={status} /> <a href={hrefOf(['compliance', framework, controlId])}>{controlId}</a> {controlName}{' '}
    <small>{frameworkName}</small>
  </li>
);

/** The controls that fail by it. */
export function Controls({ compliance }: { readonly compliance: FindingView['compliance'] }) {
  if (!compliance.available) return <p class="soft">The compliance engine did not answer.</p>;
  const mappings = compliance.controlMappings;
  if (mappings.length === 0) return <p class="soft">Its rule is mapped to no control.</p>;
  return (
    <>
      <ul class="plain">
        {mappings.slice(0, FEW).map((mapping) => (
          <ControlLine key={`${mapping.framework} ${mapping.controlId}`} {...mapping} />
        ))}
      </ul>
      {mappings.length > FEW && (
        <details>
          <summary>{mappings.length - FEW} more controls</summary>
          <ul class="plain">
            {mappings.slice(FEW).map((mapping) => (
              <ControlLine key={`${mapping.framework} ${mapping.controlId}`} {...mapping} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** What else is open on the same resource. */
export function Related({ related }: { readonly related: FindingView['relatedFindings'] }) {
  if (!related.available) return <p class="soft">The other engines did not answer.</p>;
  if (related.items.length === 0) return <p class="soft">Nothing else is known of this resource.</p>;
  return (
    <ul class="plain">
      {related.items.map(({ engine, findingId, severity, title, status }) => (
        <li key={`${engine}/${findingId}`}>
          <SeverityMark severity={severity} /> <a href={hrefWith({ open: keyOf({ engine, finding_id: findingId }) })}>{title}</a>{' '}
          <small>
            {engine}, {wordOf(status)}
          </small>
        </li>
      ))}
    </ul>
  );
}
