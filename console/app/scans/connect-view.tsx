import { useState } from 'preact/hooks';
import { PROVIDERS, type Provider } from '../../../schema/model.js';
import { hrefOf, readAddress, valueOf } from '../address.js';
import { refusalFor, send, type Refusal } from '../api.js';
import type { Job } from '../jobs.js';
import { FieldInputs } from '../parts/field-inputs.js';
import { bodyOf, isFilled, valuesOf, type Field, type Values } from '../parts/fields.js';
import { Refused } from '../parts/refused.js';
import { Section } from '../parts/section.js';
import { Answer, NotAllowed } from '../parts/states.js';
import { address, go, goWith } from '../place.js';
import { can } from '../session.js';
import { useAsk } from '../use-ask.js';
import { ACCOUNT_WORDS, credentialFields, METHOD_WORDS, methodsIn, type Method } from './credential-fields.js';
import type { CloudAccount } from './connections-view.js';
import { TemplateView, type Template } from './template-view.js';

const WORDS: Readonly<Record<Provider, string>> = {
  aws: 'Amazon Web Services',
  azure: 'Microsoft Azure',
  gcp: 'Google Cloud',
  oci: 'Oracle Cloud',
  alicloud: 'Alibaba Cloud',
  ibm: 'IBM Cloud',
  k8s: 'Kubernetes',
};

const isProvider = (text: string | null): text is Provider => PROVIDERS.some((provider) => provider === text);

/** What is asked for: the account, the way in, and what of it is scanned. */
const fieldsOf = (provider: Provider, template: Template): readonly Field[] => {
  const methods = methodsIn(provider, template.methods);
  return [
    { name: 'account_id', label: ACCOUNT_WORDS[provider], kind: 'text', isNeeded: true },
    { name: 'name', label: 'Name that people see', kind: 'text', hint: 'The id, where it is empty.' },
    {
      name: 'method',
      label: 'Way in',
      kind: 'choice',
      options: methods,
      words: (method) => METHOD_WORDS[method as Method],
      isNeeded: true,
      initial: methods[0],
    },
    ...methods.flatMap((method) =>
      credentialFields(provider, method).map((field) => ({ ...field, when: (values: Values) => values['method'] === method })),
    ),
    { name: 'scope.regions', label: 'Only these regions', kind: 'lines', hint: 'One a line; empty for all.' },
    {
      name: 'scope.services',
      label: 'Only these services',
      kind: 'many',
      options: template.services.map(({ service }) => service),
      hint: 'None for all.',
    },
  ];
};

function ConnectForm({ provider, template }: { readonly provider: Provider; readonly template: Template }) {
  const fields = fieldsOf(provider, template);
  const [values, setValues] = useState<Values>(() => valuesOf(fields, {}));
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Refusal | null>(null);
  const connect = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const { method: _, ...body } = bodyOf(fields, values);
      const { account_id } = await send<CloudAccount>('POST', '/api/v1/cloud-accounts', { provider, ...body });
      // whether it works shows beside it: what is missing is told permission by permission
      const job = await send<Job>('POST', `/api/v1/cloud-accounts/${encodeURIComponent(account_id)}/validate`).catch(() => null);
      go(readAddress(hrefOf(['scans'], { view: 'connections', one: account_id, job: job?.job_id })));
    } catch (problem) {
      setError(refusalFor(problem));
      setBusy(false);
    }
  };
  return (
    <form class="form" onSubmit={(event) => void connect(event)}>
      <FieldInputs fields={fields} values={values} change={setValues} />
      {error && <Refused error={error} />}
      <p>
        <button type="submit" class="main" disabled={isBusy || !isFilled(fields, values)}>
          Connect and validate
        </button>
      </p>
    </form>
  );
}

function Steps({ provider }: { readonly provider: Provider }) {
  const asked = useAsk<Template>(`/api/v1/onboarding/templates/${provider}`);
  return (
    <Answer asked={asked} what="the template">
      {(template) => (
        <div class="cards">
          <Section title="2. Prepare the account">
            <TemplateView key={provider} template={template} />
          </Section>
          <Section title="3. Let us in">
            <ConnectForm key={provider} provider={provider} template={template} />
          </Section>
        </div>
      )}
    </Answer>
  );
}

/** Connects an account: its cloud, what is to be made in it, and how to get in. */
export function ConnectView() {
  const named = valueOf(address.value.query, 'provider');
  if (!can('accounts:write')) return <NotAllowed what="Connecting an account" permission="accounts:write" />;
  return (
    <div class="page">
      <Section title="1. Choose the cloud">
        <div class="buttons" role="group" aria-label="Cloud">
          {PROVIDERS.map((provider) => (
            <button key={provider} type="button" aria-pressed={provider === named} onClick={() => goWith({ provider })}>
              {WORDS[provider]}
            </button>
          ))}
        </div>
      </Section>
      {isProvider(named) && <Steps key={named} provider={named} />}
    </div>
  );
}
