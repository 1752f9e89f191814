import { useState } from 'preact/hooks';
import { counted } from '../format.js';
import { CopyButton } from '../parts/copy-button.js';

/** `GET /onboarding/templates/{provider}`. */
export interface Template {
  readonly external_id: string | null;
  readonly methods: readonly string[];
  readonly services: readonly { readonly service: string; readonly permissions: readonly string[] }[];
  readonly templates: readonly { readonly format: string; readonly filename: string; readonly content: string }[];
  readonly steps: readonly string[];
}

/** What is to be made in the account: the steps, the template to copy, and what it lets one do. */
export function TemplateView({ template }: { readonly template: Template }) {
  const { external_id, services, templates, steps } = template;
  const [format, setFormat] = useState(templates[0]?.format);
  const shown = templates.find((one) => one.format === format) ?? templates[0];
  return (
    <>
      <ol>
        {steps.map((step) => (
          <li key={step} class="text">
            {step}
          </li>
        ))}
      </ol>
      {external_id && (
        <p>
          External id of this tenant: <code>{external_id}</code> <CopyButton text={external_id} what="the external id" />
        </p>
      )}
      {shown && (
        <>
          <div class="buttons" role="group" aria-label="Form of the template">
            {templates.map((one) => (
              <button key={one.format} type="button" aria-pressed={one === shown} onClick={() => setFormat(one.format)}>
                {one.filename}
              </button>
            ))}
            <CopyButton text={shown.content} what={shown.filename} />
          </div>
          <pre tabIndex={0} aria-label={shown.filename}>
            {shown.content}
          </pre>
        </>
      )}
      <details>
        <summary>It lets in to {counted(services.length, 'service')}, to read how they are set up</summary>
        <ul class="plain">
          {services.map(({ service, permissions }) => (
            <li key={service}>
              <b>{service}</b> <small>{permissions.join(', ')}</small>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
