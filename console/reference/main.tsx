import { render } from 'preact';
import type { OpenApi } from './document.js';
import { ReferencePage } from './page.js';

const root = document.getElementById('reference')!;

const answer = await fetch('/gateway/openapi.json').catch(() => null);
root.replaceChildren();
render(
  answer?.ok ? (
    <ReferencePage document={(await answer.json()) as OpenApi} />
  ) : (
    <main class="message">
      <p>The document of the API could not be read.</p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  ),
  root,
);
